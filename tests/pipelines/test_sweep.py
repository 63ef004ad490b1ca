"""One small real sweep: packaged models, Qdrant in memory, MLflow's SQLite store; read back through MLflow's client."""

import csv
import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tiny import SMALL, empty_cache, exit_code, plain, point, python, workplace

from pipelines.config import ROOT
from pipelines.fingerprint import code_hash, fingerprint
from pipelines.sweep import sweep
from rag.embedding import SentenceTransformerEmbedder
from rag.reranking import CrossEncoderReranker

pytestmark = pytest.mark.model

AXES = (*SMALL, "reranker=none,cross-encoder", "reranker.depth=5", "retrieval.top_k=2,8", "baselines=[]")
NAMES = [
    f"structure-64/0 · minilm · hybrid · top {k} · {reranker}"
    for reranker in ("no reranker", "reranker-de")
    for k in (2, 8)
]
# Chunks at 64 tokens: the three sections of pruefung.md, gehalt.md and urlaub.txt. Only members of `personal` may
# read gehalt, and only t4 is asked by one: t4 sees 5 chunks, the four other questions see 4.
N_CHUNKS = 5
PAIRS = 4 * 4 + 5
DISTINCT_PAIRS = 3 * 4 + 5  # t4 and t5 ask the same


@dataclass
class Swept:
    folder: Path
    code: int
    passages: list[str]
    pairs: list[tuple[str, str]]

    @property
    def client(self) -> Any:
        from mlflow import MlflowClient

        return MlflowClient(f"sqlite:///{self.folder / 'mlflow.db'}")

    def runs(self, condition: str = "") -> list[Any]:
        experiment = self.client.get_experiment_by_name("messlatte")
        found = self.client.search_runs([experiment.experiment_id], condition, order_by=["attributes.start_time"])
        return [plain(run) for run in found]

    @property
    def parents(self) -> list[Any]:
        return self.runs("tags.kind = 'sweep'")

    @property
    def points(self) -> list[Any]:
        return self.runs("tags.kind = 'point'")

    def table(self, run: Any, name: str = "questions.json") -> list[dict[str, Any]]:
        stored = json.loads(Path(self.client.download_artifacts(run.info.run_id, name)).read_text(encoding="utf-8"))
        return [dict(zip(stored["columns"], row, strict=True)) for row in stored["data"]]


def spied(patch: pytest.MonkeyPatch, owner: type, method: str) -> list[Any]:
    seen: list[Any] = []
    real: Callable[..., Any] = getattr(owner, method)

    def spy(self: Any, inputs: Any) -> Any:
        seen.extend(inputs)
        return real(self, inputs)

    patch.setattr(owner, method, spy)
    return seen


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Swept]:
    folder = tmp_path_factory.mktemp("sweep")
    with workplace(folder) as patch, empty_cache(patch, tmp_path_factory.mktemp("cold") / "cache"):
        passages = spied(patch, SentenceTransformerEmbedder, "embed_passages")
        pairs = spied(patch, CrossEncoderReranker, "scores")
        code = exit_code(sweep, AXES)
        yield Swept(folder, code, passages, pairs)


def test_a_parent_holds_the_points_in_their_order(swept: Swept) -> None:
    assert swept.code == 0
    (parent,) = swept.parents
    assert parent.info.status == "FINISHED"
    assert parent.info.run_name == "sweep · 4 points · retrieval.top_k, reranker"
    assert [run.info.run_name for run in swept.points] == NAMES
    assert {run.info.status for run in swept.points} == {"FINISHED"}
    assert {run.data.tags["mlflow.parentRunId"] for run in swept.points} == {parent.info.run_id}
    assert len(swept.runs()) == 1 + 4


def test_the_directory_holds_results_only(swept: Swept) -> None:
    names = {path.name for path in swept.folder.iterdir() if not path.name.startswith("mlflow.db")}
    assert names == {"mlruns", "ledger.csv"}
    assert (swept.folder / "mlflow.db").is_file()


def test_params_have_short_names(swept: Swept) -> None:
    first, last = swept.points[0].data.params, swept.points[-1].data.params
    assert [first[key] for key in ("chunking", "chunking.size", "chunking.overlap")] == ["structure", "64", "0"]
    assert [first[key] for key in ("embedding", "retrieval", "retrieval.top_k")] == ["minilm", "hybrid", "2"]
    assert first["measures.ks"] == "[1, 3, 5, 8, 10]"
    assert first["reranker"] == "none"
    assert "reranker.depth" not in first
    assert [last[key] for key in ("reranker", "reranker.depth", "retrieval.top_k")] == ["reranker-de", "5", "8"]


def test_tags_say_what_the_numbers_come_from(swept: Swept) -> None:
    cfg = point(*SMALL, "reranker=none", "retrieval.top_k=2")
    tags = swept.points[0].data.tags
    assert tags["fingerprint"] == fingerprint(cfg)
    assert tags["code_hash"] == code_hash()
    assert tags["judge"].startswith("deterministic-2(")
    assert len({run.data.tags["fingerprint"] for run in swept.points}) == 4
    for shared in ("corpus_hash", "golden_hash", "code_hash"):
        assert len({run.data.tags[shared] for run in swept.points}) == 1
        assert len(tags[shared]) == 64


def test_metrics_that_follow_from_the_tiny_corpus(swept: Swept) -> None:
    for run in swept.points:
        metrics = run.data.metrics
        assert metrics["chunks"] == N_CHUNKS
        # Dense retrieval ranks every readable chunk, and there are fewer than 8: nothing can be missed.
        assert metrics["recall_at_8"] == metrics["hit_rate_at_8"] == 1
        # One relevant chunk among 4 for t1 to t3, among 5 for t4.
        assert metrics["precision_at_8"] == pytest.approx((3 * 1 / 4 + 1 / 5) / 4)
        assert metrics["recall_at_8.fristen"] == metrics["recall_at_8.group.personal"] == 1
        assert metrics["n_retrieval"] == 4  # t5 has no answer
        assert metrics["n_labels"] == 5
        assert metrics["n_labels.fristen"] == 2
        assert metrics["evidence_left.all"] == 4
        assert metrics["n_latency"] == 5
        assert 0 < metrics["latency_p50_ms"] <= metrics["latency_p95_ms"]
        for none in ("chunks_truncated", "pairs_truncated", "units_unreachable", "golden_skipped"):
            assert metrics[none] == 0
        assert sum(metrics[label] for label in ("correct", "partly", "wrong", "declined")) == pytest.approx(1)
    for run in swept.points[1::2]:  # top 8
        assert run.data.metrics["recall_at_top_k"] == 1
        assert run.data.metrics["evidence_left.cut_by_top_k"] == 4


COLUMNS = (
    *("id", "question", "category", "difficulty", "answerable", "label"),
    *("cause", "cause_group", "answer", "expected_answer"),
    *("cited", "references", "retrieved", "reciprocal_rank", "recall", "error"),
)


def test_one_row_a_question(swept: Swept) -> None:
    for run in swept.points:
        rows = swept.table(run)
        assert [row["id"] for row in rows] == ["t1", "t2", "t3", "t4", "t5"]
        assert tuple(rows[0]) == COLUMNS
        for row in rows:
            assert row["label"] in ("correct", "partly", "wrong", "declined")
            assert (row["cause"] == "") == (row["label"] == "correct")
            assert (row["cited"] == []) == (row["answer"] == "")
            assert len(row["retrieved"]) == min(int(run.data.params["retrieval.top_k"]), 5 if row["id"] == "t4" else 4)


def test_references_and_retrieved_are_chunk_ids(swept: Swept) -> None:
    # What is left of each file after its front matter: pruefung `# Prüffristen` ... 42 characters to `## Druck...`.
    pruefung = (Path(__file__).parent.parent / "data" / "tiny" / "pruefung.md").read_text(encoding="utf-8")
    text = pruefung.split("---\n", 2)[2]
    vessels, ladders = text.index("## Druck"), text.index("## Leitern")
    rows = {row["id"]: row for row in swept.table(swept.points[1])}
    assert rows["t1"]["references"] == [f"pruefung:{vessels}-{ladders}"]
    assert rows["t2"]["references"] == [f"pruefung:{ladders}-{len(text)}"]
    assert rows["t3"]["references"][0].startswith("urlaub:0-")
    assert rows["t5"]["references"] == []
    for row in rows.values():
        assert {chunk.partition(":")[0] for chunk in row["retrieved"]} >= {"pruefung", "urlaub"}
        for chunk in row["retrieved"]:
            start, end = map(int, chunk.rpartition(":")[2].split("-"))
            assert 0 <= start < end
    # Access groups: only t4 is asked by a member of `personal`.
    sees_pay = {id for id, row in rows.items() if any(c.startswith("gehalt:") for c in row["retrieved"])}
    assert sees_pay == {"t4"}


def test_recall_and_reciprocal_rank_follow_from_the_row(swept: Swept) -> None:
    def overlap(one: str, other: str) -> bool:
        (document, span), (other_document, other_span) = one.rsplit(":", 1), other.rsplit(":", 1)
        start, end = map(int, span.split("-"))
        other_start, other_end = map(int, other_span.split("-"))
        return document == other_document and max(start, other_start) < min(end, other_end)

    for run in swept.points:
        reciprocal = []
        for row in swept.table(run)[:4]:  # every section is one chunk, so the chunk that meets it finds it
            ranks = [n for n, c in enumerate(row["retrieved"], 1) if overlap(c, row["references"][0])]
            assert row["recall"] == len(ranks)
            if ranks:
                assert row["reciprocal_rank"] == pytest.approx(1 / ranks[0])
            reciprocal.append(row["reciprocal_rank"])
        assert run.data.metrics["mrr"] == pytest.approx(sum(reciprocal) / 4)
        unanswerable = swept.table(run)[4]
        assert unanswerable["recall"] is unanswerable["reciprocal_rank"] is None


def test_labels_of_the_table_are_the_metrics(swept: Swept) -> None:
    for run in swept.points:
        labels = [row["label"] for row in swept.table(run)]
        for label in ("correct", "partly", "wrong", "declined"):
            assert run.data.metrics[label] == pytest.approx(labels.count(label) / 5)


def test_artifacts_and_the_dataset(swept: Swept) -> None:
    for run in swept.points:
        names = {artifact.path for artifact in swept.client.list_artifacts(run.info.run_id)}
        assert names == {"config.yaml", "questions.json", "evidence_lost.svg"}
        (dataset,) = swept.client.get_run(run.info.run_id).inputs.dataset_inputs
        assert dataset.dataset.name == "golden-set"
        assert run.data.tags["golden_hash"].startswith(dataset.dataset.digest)
        assert {tag.value for tag in dataset.tags} == {"evaluation"}
    config = Path(swept.client.download_artifacts(swept.points[0].info.run_id, "config.yaml")).read_text()
    assert "top_k: 2" in config
    assert "${" not in config


def test_the_sweep_has_leaderboard_picture_and_description(swept: Swept) -> None:
    (parent,) = swept.parents
    names = {artifact.path for artifact in swept.client.list_artifacts(parent.info.run_id)}
    assert names == {"leaderboard.json", "quality_latency.png"}
    picture = Path(swept.client.download_artifacts(parent.info.run_id, "quality_latency.png"))
    assert picture.read_bytes().startswith(b"\x89PNG")
    board = swept.table(parent, "leaderboard.json")
    assert sorted(row["point"] for row in board) == sorted(NAMES)
    order = [(row["correct"], row["recall_at_top_k"]) for row in board]
    assert order == sorted(order, reverse=True)
    assert all(name in parent.data.tags["mlflow.note.content"] for name in NAMES)


def test_the_view_of_the_ui_shows_what_every_point_has(swept: Swept) -> None:
    experiment = swept.client.get_experiment_by_name("messlatte")
    shown = json.loads(experiment.tags["mlflow.sharedViewState.messlatte"])
    for own in swept.points:
        data = swept.client.get_run(own.info.run_id).data
        columns = {f"metrics.`{name}`" for name in data.metrics} | {f"params.`{name}`" for name in data.params}
        assert {shown["orderByKey"], *shown["selectedColumns"]} <= columns


def test_the_ledger_has_a_line_a_run(swept: Swept) -> None:
    with (swept.folder / "ledger.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [(line["run"], line["point"]) for line in lines] == [(r.info.run_id, r.info.run_name) for r in swept.points]
    assert {line["sweep"] for line in lines} == {swept.parents[0].info.run_id}
    assert {float(line["precision_at_8"]) for line in lines} == {0.2375}


def test_no_text_is_embedded_and_no_pair_scored_twice(swept: Swept) -> None:
    assert len(swept.passages) == len(set(swept.passages))
    assert len([text for text in swept.passages if "Anlegeleiter | 12" in text]) == 1
    # Latency is measured without the cache, after one pair of no question to warm up, for every question (4 pairs each,
    # 5 for t4), and its scores are kept: nothing is left to compute.
    warm_up = [pair for pair in swept.pairs if pair == ("?", "?")]
    assert len(warm_up) == 1
    assert len(set(swept.pairs)) == len(warm_up) + DISTINCT_PAIRS
    assert len(swept.pairs) == len(warm_up) + PAIRS


AGAIN = """
import sys
from pipelines.{module} import {command}
code = {command}({arguments!r})
print("imported", [name for name in ("torch", "sentence_transformers", "mlflow", "pandas") if name in sys.modules])
sys.exit(code)
"""


def test_where_nothing_has_changed_a_second_start_says_the_same_and_leaves_the_store_alone(swept: Swept) -> None:
    store = swept.folder / "mlflow.db"
    before = store.read_bytes()
    ended = python("-c", AGAIN.format(module="sweep", command="sweep", arguments=list(AXES)))
    assert ended.returncode == 0, ended.stderr
    first, finished_before, *said = ended.stdout.splitlines()
    assert first.startswith("4 points: ")
    assert finished_before.startswith("Finished before, and nothing has changed since")
    (parent,) = swept.parents
    assert f"4 points in the sweep's run {parent.info.run_id}" in said
    assert sum(name in line for name in NAMES for line in said) == 4
    assert "imported []" in ended.stdout
    assert store.read_bytes() == before


def test_a_start_after_another_run_reuses_all_and_another_top_k_needs_no_model(swept: Swept) -> None:
    """In processes of their own, which do not even import torch: no vector and no score is computed anew."""
    before = {run.info.run_id for run in swept.points}
    other = [*SMALL, "reranker=cross-encoder", "reranker.depth=5", "retrieval.top_k=3"]
    ended = python("-c", AGAIN.format(module="evaluate", command="evaluate", arguments=other))
    assert ended.returncode == 0, ended.stderr
    assert "imported ['mlflow', 'pandas']" in ended.stdout
    ended = python("-c", AGAIN.format(module="sweep", command="sweep", arguments=list(AXES)))
    assert ended.returncode == 0, ended.stderr
    assert "imported ['mlflow', 'pandas']" in ended.stdout
    assert "4 points in the sweep's run" in ended.stdout
    assert "4 of them reused" in ended.stdout

    _, second = swept.parents
    assert second.info.status == "FINISHED"
    assert {tag.removeprefix("reused.") for tag in second.data.tags if tag.startswith("reused.")} == before
    assert [row["reused"] for row in swept.table(second, "leaderboard.json")] == [True] * 4
    (new,) = [run for run in swept.points if run.info.run_id not in before]
    assert new.data.params["retrieval.top_k"] == "3"
    assert "mlflow.parentRunId" not in new.data.tags


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")
def test_a_run_names_the_commit(swept: Swept) -> None:
    before = {run.info.run_id for run in swept.points}
    ended = python("-m", "pipelines.evaluate", *SMALL, "reranker=none", "retrieval.top_k=4")
    assert ended.returncode == 0, ended.stderr
    (new,) = [run for run in swept.points if run.info.run_id not in before]
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert new.data.tags["mlflow.source.git.commit"] == head.stdout.strip()


def test_equal_points_of_one_sweep_are_one_run(swept: Swept) -> None:
    """Without a reranker its depth changes nothing."""
    known = {run.info.run_id for run in swept.parents}
    axes = [*SMALL, "reranker=none", "retrieval.top_k=1", "reranker.depth=10,20", "baselines=[]"]
    with workplace(swept.folder):
        assert exit_code(sweep, axes) == 0
    (parent,) = [run for run in swept.parents if run.info.run_id not in known]
    assert [row["point"] for row in swept.table(parent, "leaderboard.json")] == [
        "structure-64/0 · minilm · hybrid · top 1 · no reranker"
    ]
