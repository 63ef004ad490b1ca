"""Points on workers, as far as it takes no worker: what is refused, what is counted, what one job leaves."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, open_dict
from tiny import SMALL, exit_code, workplace

from pipelines.config import CONF, launcher, points
from pipelines.fan_out import FanOut, uses_workers
from pipelines.sweep import sweep
from pipelines.tracking import Tracking
from pipelines.worker import DIED, work
from rag.errors import InputError

JOBLIB = "hydra/launcher=joblib"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with workplace(tmp_path):
        yield tmp_path
        HydraConfig.instance().cfg = None


def test_the_launcher_is_chosen_on_the_command_line() -> None:
    assert not uses_workers(launcher("sweep", SMALL))
    chosen = launcher("sweep", [*SMALL, JOBLIB, "hydra.launcher.n_jobs=2", "retrieval.top_k=1,2"])
    assert uses_workers(chosen)
    assert chosen.n_jobs == 2
    with pytest.raises(InputError, match="slurm"):
        launcher("sweep", ["hydra/launcher=slurm"])


def test_a_point_that_an_earlier_job_computes_is_no_job(folder: Path) -> None:
    # Without a reranker its depth changes nothing: jobs 0 and 1 are one point, and so are 2 and 3.
    given = [*SMALL, "reranker=none", "retrieval.top_k=1,2", "reranker.depth=3,5", JOBLIB]
    configurations = points("sweep", given)
    jobs = FanOut(configurations, launcher("sweep", given), Tracking("messlatte")).jobs
    assert len(configurations) == 4
    assert list(jobs) == [0, 2]


def test_an_index_for_one_process_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(sweep, [*SMALL, "index=path", "index.folder=hier", "reranker=none", JOBLIB]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: index=path is for one process at a time")
    assert error.count("\n") == 1


def test_workers_that_are_lost_before_they_begin_get_a_second_chance(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = [*SMALL, "reranker=none", "retrieval.top_k=1,2", JOBLIB]
    fan_out = FanOut(points("sweep", given), launcher("sweep", given), Tracking("messlatte"))
    rounds: list[int] = []

    def lose(*arguments: object, **options: object) -> None:
        rounds.append(1)
        raise RuntimeError("killed")

    monkeypatch.setattr("pipelines.command.with_hydra", lose)
    with fan_out.store.sweep("sweep") as parent:
        fan_out.run(given, parent)
    assert len(rounds) == 2
    runs = fan_out.store.points(parent)
    assert [run.status for run in runs] == ["FAILED", "FAILED"]
    assert all("its worker was lost (RuntimeError)" in run.tags["error"] for run in runs)


def job(sweep: str, number: int, *overrides: str) -> DictConfig:
    """The configuration as a launcher hands it to a worker."""
    with initialize_config_dir(str(CONF), version_base="1.3"):
        cfg = compose(
            "sweep",
            [*SMALL, "reranker=none", f"tracking.parent={sweep}", "tracking.ledger=null", *overrides],
            return_hydra_config=True,
        )
    with open_dict(cfg.hydra):
        cfg.hydra.job.num, cfg.hydra.runtime.cwd = number, str(Path.cwd())
    HydraConfig.instance().set_config(cfg)
    with open_dict(cfg):
        del cfg["hydra"]
    return cfg


def test_the_job_of_a_dead_worker_is_closed_not_repeated(folder: Path) -> None:
    import mlflow

    store = Tracking("messlatte")
    with store.sweep("sweep") as parent:
        tags = {"kind": "point", "job": "3", "mlflow.parentRunId": parent}
        left = mlflow.MlflowClient().create_run(store.experiment_id, tags=tags).info.run_id
        work(job(parent, 3))
        work(job(parent, 3))  # and a third try finds a run that has ended
        (run,) = store.points(parent)
    assert (run.id, run.status, run.tags["error"]) == (left, "FAILED", DIED)


def test_a_repetition_leaves_no_run(folder: Path) -> None:
    store = Tracking("messlatte")
    with store.sweep("sweep") as parent:
        work(job(parent, 1, "tracking.repeats=[1]"))
        assert store.points(parent) == []


def test_a_worker_without_the_documents_leaves_a_run_that_says_so(folder: Path) -> None:
    store = Tracking("messlatte")
    with store.sweep("sweep") as parent:
        work(job(parent, 0, f"corpus.path={folder / 'nirgends'}"))
        (run,) = store.points(parent)
    assert (run.status, run.tags["job"]) == ("FAILED", "0")
    assert "nirgends: corpus folder does not exist" in run.tags["error"]


def test_relative_paths_mean_what_they_mean_to_the_person(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(SMALL[0].partition("=")[2], folder / "docs")
    store = Tracking("messlatte", f"sqlite:///{folder}/mlflow.db")
    with store.sweep("sweep") as parent:
        cfg = job(parent, 0, "corpus.path=docs", "golden.path=fehlt.jsonl")
        (folder / "anderswo").mkdir()
        monkeypatch.chdir(folder / "anderswo")  # where the worker was started
        work(cfg)
        (run,) = store.points(parent)
    assert "fehlt.jsonl" in run.tags["error"]  # the documents were found
