"""Two small real sweeps in one SQLite store, compared as a person does it."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from tiny import DATA, SMALL, exit_code, plain, python, workplace

from pipelines.compare import compare
from pipelines.config import ROOT
from pipelines.sweep import sweep

pytestmark = pytest.mark.model

AXES = (*SMALL, "reranker=none", "retrieval=bm25,hybrid", "retrieval.top_k=2,8")
POINTS = [
    f"structure-64/0 · minilm · {retrieval} · top {k} · no reranker" for retrieval in ("bm25", "hybrid") for k in (2, 8)
]


@dataclass
class Store:
    """`other`: a sweep of two points over a golden set of one question less, made before."""

    folder: Path
    sweep: str
    other: str

    @property
    def client(self) -> Any:
        from mlflow import MlflowClient

        return MlflowClient(f"sqlite:///{self.folder / 'mlflow.db'}")

    def points(self, sweep: str) -> list[str]:
        found = self.client.search_runs(
            ["1"], f"tags.`mlflow.parentRunId` = '{sweep}'", order_by=["attributes.start_time"]
        )
        return [run.info.run_id for run in found]

    def text(self, run: str, name: str) -> str:
        return Path(self.client.download_artifacts(run, name)).read_text(encoding="utf-8")

    def table(self, run: str, name: str) -> list[dict[str, Any]]:
        stored = json.loads(self.text(run, f"compare/{name}.json"))
        return [dict(zip(stored["columns"], row, strict=True)) for row in stored["data"]]

    def comparisons(self) -> list[str]:
        found = self.client.search_runs(["1"], "tags.kind = 'comparison'", order_by=["attributes.start_time"])
        return [run.info.run_id for run in found]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("compare")
    golden = folder / "fragen.jsonl"
    first, *rest = (DATA / "tiny.jsonl").read_text(encoding="utf-8").splitlines()
    asked = json.loads(first)
    golden.write_text(
        "\n".join([json.dumps(asked | {"question": "<script>alert(1)</script>?"}), *rest[:-1]]), encoding="utf-8"
    )
    with workplace(folder):
        small = [value for value in AXES if not value.startswith(("golden", "retrieval="))]
        assert exit_code(sweep, [*small, f"golden.path={golden}", "baselines=[]"]) == 0
        assert exit_code(sweep, AXES) == 0
        from mlflow import MlflowClient

        client = MlflowClient(f"sqlite:///{folder / 'mlflow.db'}")
        other, own = client.search_runs(["1"], "tags.kind = 'sweep'", order_by=["attributes.start_time"])
        yield Store(folder, own.info.run_id, other.info.run_id)


@pytest.fixture
def compared(store: Store, capsys: pytest.CaptureFixture[str]) -> str:
    """What the command says about the sweep."""
    before = len(store.comparisons())
    assert exit_code(compare, [store.sweep]) == 0
    assert len(store.comparisons()) == before  # all is with the sweep's own run
    return capsys.readouterr().out


def test_a_sweep_gets_report_tables_and_pictures(store: Store, compared: str) -> None:
    held = {artifact.path for artifact in store.client.list_artifacts(store.sweep)}
    assert held >= {"report.html", "leaderboard.json", "quality_latency.png"}
    inside = {
        artifact.path.removeprefix("compare/") for artifact in store.client.list_artifacts(store.sweep, "compare")
    }
    assert inside >= {f"{name}.json" for name in ("leaderboard", "effects", "categories", "flips", "left_out")}
    assert inside >= {f"{name}.png" for name in ("leaderboard", "front", "effects", "categories")}
    assert f"run {store.sweep}" in compared
    assert "5 questions" in compared


def test_the_leaderboard_holds_what_the_runs_hold(store: Store, compared: str) -> None:
    board = store.table(store.sweep, "leaderboard")
    assert sorted(row["point"] for row in board) == sorted(POINTS)
    for row in board:
        metrics = plain(store.client.get_run(row["run"])).data.metrics
        for name in ("correct", "wrong", "recall_at_top_k", "mrr"):
            assert row[name] == pytest.approx(metrics[name], abs=1e-6)
            assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
        assert row["latency_p50_ms"] == metrics["latency_p50_ms"]
        assert row["baseline"] == (row["point"] == POINTS[0])
        # with 5 questions nothing can be significant: five of five are 2 / 2 ** 5 before any correction
        assert row["correct_verdict"] == "no difference"
        assert row["tied"]
    correct = [row["correct"] for row in board]
    assert correct == sorted(correct, reverse=True)


def test_axes_effects_categories_and_flips_are_those_of_the_sweep(store: Store, compared: str) -> None:
    effects = [row for row in store.table(store.sweep, "effects") if row["measure"] == "correct"]
    assert [(row["axis"], row["reference"], row["level"], row["pairs"]) for row in effects] == [
        ("retrieval", "bm25", "hybrid", 2),
        ("retrieval.top_k", "2", "8", 2),
    ]
    by_name = {row["point"]: row["correct"] for row in store.table(store.sweep, "leaderboard")}
    old, new = (sum(by_name[name] for name in own) / 2 for own in (POINTS[:2], POINTS[2:]))
    assert effects[0]["difference"] == pytest.approx(new - old)
    categories = store.table(store.sweep, "categories")
    assert sum(row["n"] for row in categories) == 4 * 5
    flips = store.table(store.sweep, "flips")
    assert [row["id"] for row in flips] == ["t1", "t2", "t3", "t4", "t5"]
    assert all(row["direction"] == "same" for row in flips if row["label_before"] == row["label_after"])


def test_the_report_needs_nothing_else(store: Store, compared: str) -> None:
    page = store.text(store.sweep, "report.html")
    assert not re.findall(r"(?:src|href)=[\"'](?!data:image/svg\+xml;base64,|#)[^\"']*", page)
    assert "@import" not in page
    assert "url(" not in page
    assert page.count('src="data:image/svg+xml;base64,') == 4
    assert all(name in page for name in POINTS)
    assert "corrected for having been chosen" in page


def test_the_description_of_the_sweep_is_kept_and_the_summary_stands_once(store: Store) -> None:
    for _ in range(2):
        assert exit_code(compare, [store.sweep]) == 0
    note = store.client.get_run(store.sweep).data.tags["mlflow.note.content"]
    assert note.count("## Comparison") == 1
    assert note.startswith("4 points, best share of correct answers first")
    assert "Best of 4 runs: **" in note


def test_points_make_a_run_of_their_own(store: Store) -> None:
    first, _, third, _ = store.points(store.sweep)
    arguments = [third, first, f"baseline={first}", "objective=recall_at_top_k", f"flips={third},{first}"]
    assert exit_code(compare, arguments) == 0
    run = store.client.get_run(store.comparisons()[-1])
    assert run.info.status == "FINISHED"
    assert run.info.run_name == "comparison · 2 runs"
    board = store.table(run.info.run_id, "leaderboard")
    assert {row["run"]: row["baseline"] for row in board} == {first: True, third: False}
    assert board[0]["recall_at_top_k"] >= board[1]["recall_at_top_k"]
    label = {row["id"]: row["label_before"] for row in store.table(run.info.run_id, "flips")}
    stored = json.loads(store.text(third, "questions.json"))
    at = stored["columns"].index("label")
    assert label == {row[0]: row[at] for row in stored["data"]}


def test_an_experiment_ranks_the_newest_kind_and_names_the_rest(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(compare, []) == 0
    said = capsys.readouterr().out
    assert "WARNING: not ranked together, as runs were measured differently: golden set" in said
    assert said.count("LEFT OUT") == 2
    run = store.comparisons()[-1]
    assert {row["run"] for row in store.table(run, "leaderboard")} == set(store.points(store.sweep))
    left_out = store.table(run, "left_out")
    assert {row["run"] for row in left_out} == set(store.points(store.other))
    assert all(row["reason"].startswith("measured differently: golden set") for row in left_out)
    assert "WARNING: not ranked together" in store.text(run, "report.html")


def test_text_of_questions_is_no_markup(store: Store) -> None:
    assert exit_code(compare, [store.other]) == 0
    page = store.text(store.other, "report.html")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["0123456789abcdef0123456789abcdef"], "run 0123456789abcdef0123456789abcdef: "),
        (["POINT"], "error: 1 finished run to compare; two are needed"),
        (["POINT", "OTHER"], "cannot be ranked with the others: measured differently: golden set"),
        (["SWEEP", "baseline=OTHER"], "cannot be ranked with the others: golden set"),
        (["SWEEP", "baseline=SWEEP"], "not a point; name a run of pipelines.evaluate or a point of a sweep"),
        (["SWEEP", "baseline=champion"], "no version of the model 'rag-pipeline' has the alias 'champion'"),
        (["SWEEP", "objective=wrong"], "objective=wrong: must be one of correct, recall_at_top_k, mrr"),
        (["SWEEP", "flips=POINT"], "flips=POINT: name two of the runs compared, as in flips="),
        (["SWEEP", "flips=POINT,POINT"], "flips=POINT,POINT: name two of the runs compared"),
        (["SWEEP", "flips=POINT,OTHER"], "name two of the runs compared"),
        (["SWEEP", "top_k=4"], "top_k=4: no such key; valid: baseline, objective, flips, tracking.experiment"),
        (["--fast"], "--fast: no such option"),
        (["tracking.experiment=typo"], "experiment 'typo': not in"),
        (["SWEEP", "tracking.experiment=typo"], "experiment 'typo': not in"),
    ],
)
def test_bad_input_is_one_line(
    store: Store, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    ids = {"POINT": store.points(store.sweep)[0], "OTHER": store.points(store.other)[0], "SWEEP": store.sweep}
    for name, id in ids.items():
        arguments = [argument.replace(name, id) for argument in arguments]
        said = said.replace(name, id)
    before = store.comparisons()
    assert exit_code(compare, arguments) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert store.comparisons() == before
    assert store.client.get_experiment_by_name("typo") is None


def test_the_champion_is_the_baseline_once_there_is_one(store: Store) -> None:
    champion = store.points(store.sweep)[2]
    client = store.client
    client.create_registered_model("rag-pipeline")
    try:
        version = client.create_model_version("rag-pipeline", f"runs:/{champion}/model", champion)
        client.set_registered_model_alias("rag-pipeline", "champion", version.version)
        assert exit_code(compare, [store.sweep, "baseline=champion"]) == 0
    finally:
        client.delete_registered_model("rag-pipeline")
    assert [row["run"] for row in store.table(store.sweep, "leaderboard") if row["baseline"]] == [champion]


def test_the_notebook_runs_from_top_to_bottom(store: Store, compared: str, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = nbformat.read(ROOT / "notebooks" / "compare_runs.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)  # none are kept in git
    (naming,) = (cell for cell in notebook.cells if 'RUN = ""' in cell.source)
    naming.source = naming.source.replace('RUN = ""', f'RUN = "{store.sweep}"')
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{store.folder / 'mlflow.db'}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(store.folder)}}).execute()
    outputs = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    assert sum("image/png" in data for data in outputs) == 5
    tables = " ".join(data["text/html"] for data in outputs if "text/html" in data)
    assert all(name in tables for name in POINTS)
    assert any("Best of 4 runs" in data.get("text/markdown", "") for data in outputs)


def test_help_says_what_there_is() -> None:
    ended = python("-m", "pipelines.compare", "--help")
    assert ended.returncode == 0
    for word in ("baseline=", "objective=", "flips=", "report.html", "docs/decisions.md"):
        assert word in ended.stdout


def test_a_run_in_which_questions_failed_is_left_out(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    incomplete, whole = store.points(store.other)
    store.client.log_metric(incomplete, "n_failed", 2)
    assert exit_code(compare, [store.other]) == 2
    said = "1 finished run to compare, 1 left out (2 of its questions have no outcome); two are needed"
    assert said in capsys.readouterr().err
    assert exit_code(compare, [incomplete, whole]) == 2
    assert f"run {incomplete} cannot be ranked with the others: 2 of its" in capsys.readouterr().err
