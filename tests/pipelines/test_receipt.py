"""What a finished sweep said is said again only while the whole store is as it was."""

import sqlite3
from pathlib import Path

import pytest
from omegaconf import DictConfig
from tiny import SMALL, empty_cache, exit_code, point, workplace

from pipelines.receipt import Receipt
from pipelines.sweep import sweep
from pipelines.tracking import store_state


@pytest.fixture
def store(tmp_path: Path):
    with workplace(tmp_path) as patch, empty_cache(patch, tmp_path / "cache"):
        with sqlite3.connect(tmp_path / "mlflow.db") as database:
            database.execute("CREATE TABLE runs (name TEXT)")
        yield database


def test_a_change_of_the_store_is_seen_also_before_sqlite_has_written_it_into_the_file(
    store: sqlite3.Connection, tmp_path: Path
) -> None:
    before = store_state(None)
    assert store_state(None) == before
    store.execute("PRAGMA journal_mode = WAL")
    waiting = store_state(None)
    store.execute("INSERT INTO runs VALUES ('new')")
    store.commit()
    assert (tmp_path / "mlflow.db-wal").exists()
    assert store_state(None) not in (before, waiting)


def test_a_journal_that_goes_before_it_is_read_is_no_error(
    store: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when another process commits at this moment."""
    before, journal = store_state(None), tmp_path / "mlflow.db-journal"
    journal.write_bytes(b"x")
    assert store_state(None) != before
    real = open

    def late(path: str, *arguments: object) -> object:
        if path.endswith("-journal"):
            journal.unlink()
        return real(path, *arguments)

    monkeypatch.setattr("builtins.open", late)
    assert store_state(None) == before


def test_a_file_that_cannot_be_read_has_no_state(store: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: object) -> None:
        raise PermissionError("not yours")  # a double: to root every file is readable

    monkeypatch.setattr("builtins.open", refused)
    assert store_state(None) is None


def test_a_server_and_a_file_that_is_not_there_have_no_state(tmp_path: Path) -> None:
    assert store_state("http://127.0.0.1:1") is None
    assert store_state(f"sqlite:///{tmp_path / 'none.db'}") is None


@pytest.mark.parametrize(
    ("points", "tags"),
    [
        ([point(*SMALL, "retrieval.top_k=3")], {}),
        ([point(*SMALL), point(*SMALL, "retrieval.top_k=3")], {}),
        ([point(*SMALL, "tracking.experiment=other")], {}),
        ([point(*SMALL, "tracking.uri=sqlite:///other.db")], {}),
        ([point(*SMALL)], {"baseline": "another point of the grid"}),
    ],
)
def test_it_is_said_for_the_same_sweep_in_the_same_experiment_only(
    store: sqlite3.Connection, points: list[DictConfig], tags: dict[str, str]
) -> None:
    Receipt([point(*SMALL)], {}).keep("Äpfel\nund Birnen")
    assert Receipt([point(*SMALL)], {}).said() == "Äpfel\nund Birnen"
    assert Receipt(points, tags).said() is None


def test_nothing_is_said_once_the_store_holds_more_or_a_run_is_to_be_adopted(
    store: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipt = Receipt([point(*SMALL)], {})
    receipt.keep("said")
    assert receipt.said() == "said"
    monkeypatch.setenv("MLFLOW_RUN_ID", "1" * 32)
    assert receipt.said() is None
    monkeypatch.delenv("MLFLOW_RUN_ID")
    with store:
        store.execute("INSERT INTO runs VALUES ('new')")
    assert receipt.said() is None


def test_the_code_that_counts_is_that_of_the_start(
    store: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipt = Receipt([point(*SMALL)], {})
    monkeypatch.setattr("pipelines.receipt.code_hash", lambda *packages: "edited meanwhile")
    receipt.keep("said by the old code")
    assert receipt.said() is not None
    assert Receipt([point(*SMALL)], {}).said() is None


@pytest.mark.model
def test_a_deleted_point_is_computed_again_and_a_failed_sweep_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import mlflow

    axes = [*SMALL, "reranker=none", "retrieval.top_k=2,3", "baselines=[]"]
    with workplace(tmp_path):
        monkeypatch.setattr("pipelines.point.measure", lambda cfg: 1 / 0)
        assert exit_code(sweep, axes) == 1
        monkeypatch.undo()
    with workplace(tmp_path):
        capsys.readouterr()
        assert exit_code(sweep, axes) == 0
        assert "Finished before" not in capsys.readouterr().out
        assert exit_code(sweep, axes) == 0
        assert "Finished before" in capsys.readouterr().out
        client = mlflow.MlflowClient(f"sqlite:///{tmp_path / 'mlflow.db'}")
        points = client.search_runs(["1"], "tags.kind = 'point' and attributes.status = 'FINISHED'")
        client.delete_run(points[0].info.run_id)
        assert exit_code(sweep, axes) == 0
        assert "1 of them reused" in capsys.readouterr().out
