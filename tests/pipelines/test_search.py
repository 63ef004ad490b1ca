"""A real search: points that an earlier run knows, one that the first questions exclude, and the front."""

import io
import json
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tiny import DATA, exit_code, point, point_runs, rows, workplace

from pipelines.compare import compare
from pipelines.evaluate import evaluate
from pipelines.fingerprint import fingerprint
from pipelines.promote import promote
from pipelines.sweep import sweep
from pipelines.tracking import Run, tracking

pytestmark = pytest.mark.model

N = 16  # questions, all answerable: tiny's first and third, eight times each
FIRST = 12
EVERYTHING, NOTHING = "decline.below=-1", "decline.below=2"  # no cosine is below -1, every one is below 2


@dataclass
class Searched:
    folder: Path
    small: tuple[str, ...]
    known: str
    code: int
    said: str

    def search(self) -> list[str]:
        axes = ("decline.below=-1,2", "retrieval.top_k=2,3")
        own = ("hydra.sweeper.n_trials=4", f"hydra.sweeper.first_questions={FIRST}")
        return [*self.small, "hydra/sweeper=optuna", "baselines=[]", *own, *axes]


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searched]:
    folder = tmp_path_factory.mktemp("search")
    tiny = [json.loads(line) for line in (DATA / "tiny.jsonl").read_text(encoding="utf-8").splitlines()]
    questions = [{**tiny[n], "id": f"q{n}-{copy}"} for n in (0, 2) for copy in range(N // 2)]
    (folder / "fragen.jsonl").write_text("\n".join(map(json.dumps, questions)), encoding="utf-8")
    small = (f"corpus.path={DATA / 'tiny'}", f"golden.path={folder / 'fragen.jsonl'}", "embedding=minilm")
    small = (*small, "chunking.size=64", "chunking.overlap=0", "reranker=none")
    with workplace(folder):
        assert exit_code(evaluate, [*small, EVERYTHING, "retrieval.top_k=2"]) == 0
        (known,) = point_runs()
        yield Searched(folder, small, known.info.run_id, -1, "")


@pytest.fixture(scope="module")
def ended(searched: Searched) -> Searched:
    said = io.StringIO()
    with redirect_stdout(said):
        searched.code = exit_code(sweep, searched.search())
    searched.said = said.getvalue()
    return searched


def by_setting() -> dict[tuple[str, str], Any]:
    return {(run.data.params["decline.below"], run.data.params["retrieval.top_k"]): run for run in point_runs()}


def test_every_point_of_the_space_is_a_run_and_none_is_computed_twice(ended: Searched) -> None:
    assert ended.code == 0
    assert by_setting().keys() == {("-1", "2"), ("-1", "3"), ("2", "2"), ("2", "3")}
    assert len(point_runs()) == 4
    (parent,) = {run.data.tags["mlflow.parentRunId"] for run in point_runs() if run.info.run_id != ended.known}
    points = tracking(point(*ended.small)).points(parent)
    assert [run.id for run in points if run.reused] == [ended.known]


def test_what_cannot_reach_the_front_is_left_and_says_why(ended: Searched) -> None:
    """Without an answer nothing is correct; its retrieval is the same, and so is its latency, which is kept."""
    assert rows(by_setting()["-1", "2"]).keys() > rows(by_setting()["2", "2"]).keys()
    left = by_setting()["2", "2"]
    assert left.info.status == "KILLED"
    assert left.data.tags["pruned"].startswith(f"left after {FIRST} of {N} questions: correct 0.000 is ")
    assert f"of run {ended.known}, which is no slower" in left.data.tags["pruned"]
    assert left.data.tags["pruned"] in left.data.tags["mlflow.note.content"]
    assert left.data.metrics["coverage"] == pytest.approx(FIRST / N)
    assert left.data.metrics["declined"] == 1
    assert len(rows(left)) == FIRST


def test_what_can_reach_it_is_asked_everything(ended: Searched) -> None:
    run = by_setting()["-1", "3"]
    assert run.info.status == "FINISHED"
    assert run.data.metrics["coverage"] == 1
    assert len(rows(run)) == N
    assert "pruned" not in run.data.tags


def test_a_left_point_is_no_finished_one(ended: Searched) -> None:
    cfg = point(*ended.small, NOTHING, "retrieval.top_k=2")
    store, left = tracking(cfg), by_setting()["2", "2"]
    assert left.data.tags["fingerprint"] == fingerprint(cfg)
    assert store.finished(fingerprint(cfg)) is None
    on_these = store.measured_on(left.data.tags["golden_hash"], left.data.tags["corpus_hash"])
    assert {run.id for run in on_these} == {by_setting()["-1", k].info.run_id for k in "23"}


def test_no_command_takes_it_for_one(ended: Searched, capsys: pytest.CaptureFixture[str]) -> None:
    left = by_setting()["2", "2"]
    assert exit_code(compare, [left.info.run_id, ended.known]) == 2
    assert f"left after {FIRST} of {N} questions" in capsys.readouterr().err
    assert exit_code(promote, [left.info.run_id]) == 2
    assert "is KILLED" in capsys.readouterr().err
    (sweep_id,) = {left.data.tags["mlflow.parentRunId"]}
    assert exit_code(compare, [sweep_id]) == 0
    assert "LEFT OUT" in capsys.readouterr().out


def test_the_front_is_printed(ended: Searched) -> None:
    assert "2 points in the sweep's run" in ended.said
    assert "1 of them reused; 2 more were left after the first questions (tag `pruned`)" in ended.said
    assert "FAILED" not in ended.said
    table = ended.said.partition("Pareto set of correct and latency_p50_ms: ")[2]
    assert table
    runs = [run for run in by_setting().values() if run.info.run_id in table]
    costs = {run.info.run_id: (-run.data.metrics["correct"], run.data.metrics["latency_p50_ms"]) for run in runs}
    assert costs
    for run in by_setting().values():  # nothing that was measured beats one of them in both
        own = (-run.data.metrics["correct"], run.data.metrics["latency_p50_ms"])
        if run.info.status == "FINISHED":
            assert not any(own[0] <= cost[0] and own[1] <= cost[1] and own != cost for cost in costs.values())


def test_a_second_start_knows_what_was_measured(ended: Searched, caplog: pytest.LogCaptureFixture) -> None:
    """The two finished ones are told to the study; the two that were left are looked at again, and left again."""
    before = {run.info.run_id: run for run in point_runs()}
    assert exit_code(sweep, ended.search()) == 0
    assert "2 points of this space are known from earlier runs" in caplog.text
    new = [run for run in point_runs() if run.info.run_id not in before]
    assert {(run.data.params["decline.below"], run.info.status) for run in new} == {("2", "KILLED")}
    assert len(new) == 2


def test_a_point_that_was_left_can_be_measured_on_its_own(ended: Searched) -> None:
    assert exit_code(evaluate, [*ended.small, NOTHING, "retrieval.top_k=2"]) == 0
    assert tracking(point(*ended.small)).finished(fingerprint(point(*ended.small, NOTHING, "retrieval.top_k=2")))


def test_a_run_says_nothing_of_the_search(ended: Searched) -> None:
    """Whoever finds the best point by a search or by a grid finds the same run."""
    cfg = point(*ended.small, EVERYTHING, "retrieval.top_k=3")
    found = tracking(cfg).finished(fingerprint(cfg))
    assert isinstance(found, Run)
    assert not any("rivals" in key for key in found.params)
