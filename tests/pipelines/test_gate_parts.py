"""Baselines, common questions and reports of the gate, on a store whose runs are written here, without models."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mlflow
import pytest
from junitparser import JUnitXml
from omegaconf import OmegaConf
from tiny import point, workplace

from evaluation.decisions.findings import Finding
from evaluation.decisions.flip_list import Answered, Flip
from evaluation.decisions.intervals import Interval, mean_interval, share_interval
from pipelines.gate_baseline import Baseline, Common, baseline, common
from pipelines.gate_junit import junit
from pipelines.gate_regressions import lost, regressions
from pipelines.gate_report import Result, markdown, text
from pipelines.gate_subject import wanted
from pipelines.gate_thresholds import held, interval, thresholds
from pipelines.registry import Registry
from pipelines.tracking import Run, Tracking
from rag.errors import InputError

N = 20


def row(n: int, label: str | None = "correct", **more: Any) -> dict[str, Any]:
    asked = {"id": f"q{n:02}", "question": f"Frage {n}?", "expected_answer": "30 Tage.", "answerable": True}
    found = {"recall": 1.0, "reciprocal_rank": 1.0, "references": ["urlaub:0-30"], "label": label, "category": "c"}
    return {**asked, **found, "cause": "", "answer": "", **more}


def measured(judge: str = "j", **metrics: float) -> Run:
    return Run("id", "p", "FINISHED", {"retrieval.top_k": "4"}, metrics, {"judge": judge})


def verdicts(found: list[Finding]) -> dict[str, str]:
    return {own.name: own.verdict for own in found}


# Which run is the baseline


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Tracking]:
    with workplace(tmp_path):
        yield Tracking("messlatte")


def logged(store: Tracking, judge: str) -> str:
    with store.point("p", None, {"judge": judge}) as made:
        made.table([row(1)], "questions.json")
    return made.id


def gated(store: Tracking, judge: str, accepted: bool) -> str:
    measured_run = logged(store, judge)
    tags = {"judge": judge, "gate_point": measured_run, "gate_accepted": str(accepted).lower()}
    with store.point("gate", None, tags, kind="gate"):
        pass
    return measured_run


def found(store: Tracking, judge: str = "j", named: str = "accepted") -> str | None:
    base = baseline(store, Registry("rag-pipeline"), None, named, judge)
    return base and base.run.id


def test_the_baseline_is_the_last_accepted_by_this_judge_else_the_champion_else_another_judges(store: Tracking) -> None:
    assert found(store) is None
    other = gated(store, "other", accepted=True)
    assert found(store) == other
    champion = logged(store, "j")
    client = mlflow.MlflowClient()
    client.create_registered_model("rag-pipeline")
    client.create_model_version("rag-pipeline", source=f"runs:/{champion}/model", run_id=champion)
    Registry("rag-pipeline").crown(Registry("rag-pipeline").versions()[0])
    assert found(store) == champion
    gated(store, "j", accepted=True)
    last = gated(store, "j", accepted=True)
    gated(store, "j", accepted=False)
    gated(store, "other", accepted=True)
    assert found(store) == last
    assert found(store, named=champion) == champion
    assert found(store, named="none") is None


def test_a_baseline_that_is_no_point_is_one_line(store: Tracking) -> None:
    with store.sweep("s") as sweep:
        pass
    for named in (sweep, "0123"):
        with pytest.raises(InputError, match=f"gate.baseline={named}: no finished point|run 0123"):
            found(store, named=named)


# On which questions


def test_questions_that_are_no_longer_the_same_are_left_out_and_counted() -> None:
    before = [row(n) for n in range(6)]
    after = [
        row(0),
        row(1, question="Anders gefragt?"),
        row(2, expected_answer="31 Tage."),
        row(3, references=["gehalt:0-30"]),
        row(4, references=["urlaub:7-37"]),  # the document was edited above the evidence
        row(9),
    ]
    shared = common(before, after)
    assert [own["id"] for own in shared.before] == [own["id"] for own in shared.after] == ["q00", "q04"]
    assert shared.unlike == 4  # 1, 2, 3 and 9


# What has become worse


def base(judge: str = "j") -> Baseline:
    return Baseline(measured(judge), "the last accepted gate run x", [])


def worse(**now: Any) -> Common:
    before = [row(n, faithfulness=0.9) for n in range(N)]
    return Common(before, [{**own, **now} for own in before], 0)


def noise(of: str) -> float | None:
    return {"judge": 0.0, "faithfulness": 0.5}.get(of)


@pytest.mark.parametrize(
    ("now", "failed"),
    [
        ({}, set()),
        ({"label": "wrong"}, {"correct", "wrong", "category c"}),
        ({"label": "declined"}, {"correct", "category c"}),
        ({"recall": 0.5}, {"recall_at_top_k"}),
        ({"reciprocal_rank": 0.5}, {"mrr"}),
        ({"faithfulness": 0.5}, set()),  # 0.4 is below its noise of 0.5
        ({"faithfulness": 0.3}, {"faithfulness"}),  # 0.6 is not
    ],
)
def test_what_is_worse_on_all_questions_fails(now: dict[str, Any], failed: set[str]) -> None:
    verdict = verdicts(regressions(base(), "accepted", measured(), worse(**now), noise))
    assert set(verdict) == {"correct", "wrong", "category c", "faithfulness", "recall_at_top_k", "mrr"}
    assert {name for name, own in verdict.items() if own == "failed"} == failed


def test_another_judge_fails_its_labels_and_leaves_retrieval() -> None:
    found = regressions(base("other"), "accepted", measured("j"), worse(), noise)
    assert verdicts(found) == {"labels": "failed", "recall_at_top_k": "passed", "mrr": "passed"}
    reason = "not comparable: judged by j, before by other; start anew with gate.baseline=none"
    assert found[0].reason == reason
    assert lost(base("other"), measured("j"), worse(label="wrong")) == []


def test_no_question_in_common_fails_and_no_baseline_is_said() -> None:
    (nothing,) = regressions(base(), "accepted", measured(), Common([], [], 5), noise)
    assert (nothing.verdict, nothing.reason[:23]) == ("failed", "no question in common w")
    for named, reason in (("accepted", "no accepted gate run and no champion"), ("none", "gate.baseline=none")):
        (own,) = regressions(None, named, measured(), Common([], [], 0), noise)
        assert own.verdict == "not measured"
        assert own.reason.startswith(reason)


def test_questions_without_an_outcome_are_not_counted_as_worse() -> None:
    shared = Common([row(1), row(2)], [row(1), row(2, label=None)], 0)
    (correct,) = [own for own in regressions(base(), "accepted", measured(), shared, noise) if own.name == "correct"]
    assert correct.reason == "1.000 after 1.000 on 1 questions"
    unlabelled = Common([row(1)], [row(1, label=None)], 0)
    assert verdicts(regressions(base(), "accepted", measured(), unlabelled, noise))["labels"] == "failed"


# Thresholds


def test_intervals_are_of_the_questions_where_they_are_known() -> None:
    rows = [row(n, recall=recall, faithfulness=None) for n, recall in enumerate([1.0, 1.0, 0.5, 0.0])]
    run = measured(recall_at_4=0.625, recall_at_8=0.75, wrong=0.25, latency_p50_ms=12, n_labels=4, n_retrieval=4)
    run.metrics.update({"correct.c": 0.5, "n_labels.c": 2})
    import numpy as np

    assert interval("recall_at_4", run, rows) == mean_interval(np.array([1.0, 1.0, 0.5, 0.0]))  # its own top_k
    assert interval("recall_at_8", run, rows) == share_interval(3, 4)
    assert interval("wrong", run, rows) == share_interval(1, 4)
    assert interval("correct.c", run, rows) == share_interval(1, 2)
    assert interval("latency_p50_ms", run, rows) is None


def test_a_metric_without_a_value_fails_unless_its_judge_was_not_asked() -> None:
    (limit,) = [own for own in thresholds(point()) if own.metric == "faithfulness"]
    assert held(limit, point(), measured(), []).verdict == "not measured"
    asked = point("judge=ragas", "judge.model=m")
    assert held(limit, asked, measured(), []).verdict == "failed"  # it was to be scored, and no question was
    (other,) = thresholds(
        OmegaConf.merge(point(), {"gate": {"thresholds": None}}, {"gate": {"thresholds": {"recal": {"min": 0.5}}}})
    )  # type: ignore[arg-type]
    missing = held(other, point(), measured(recall=0.5), [])
    assert (missing.verdict, missing.reason) == ("failed", "the run has no such metric; did you mean recall?")


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"thresholds": {"wrong": 0.1}}, "gate.thresholds.wrong: write min or max"),
        ({"thresholds": {"mrr": {"mni": 0.1}}}, "gate.thresholds.mrr: write min or max"),
        ({"thresholds": {"wrong": {"max": "viel"}}}, "gate.thresholds.wrong.max=viel: must be a number"),
        ({"thresholds": {"wrong": {"max": True}}}, "gate.thresholds.wrong.max=True: must be a number"),
        ({"thresholds": {"wrong": {"max": -5}}}, "gate.thresholds.wrong.max=-5: must be a number of 0 or more"),
        (
            {"thresholds": {"recall_at_7": {"min": 0.1}}},
            r"not measured at 7; add it, as in measures.ks=\[1,3,5,8,10,7\]",
        ),
        ({"threshold": {"wrong": {"max": 0.1}}}, "gate.threshold: no such key"),
    ],
)
def test_thresholds_that_cannot_be_read_are_one_line(given: dict[str, Any], problem: str) -> None:
    cfg = point()
    OmegaConf.set_struct(cfg, False)
    OmegaConf.set_readonly(cfg, False)
    cfg.gate.thresholds = {}
    with pytest.raises(InputError, match=problem):
        thresholds(OmegaConf.merge(cfg, {"gate": given}))  # type: ignore[arg-type]


# Which configuration


@pytest.mark.parametrize(
    ("overrides", "which"),
    [
        ([], "champion"),
        (["corpus.path=x", "golden.path=y", "gate=example", "judge=llm", "measures.tau=0.7"], "champion"),
        (["chunking.size=64"], "conf"),
        (["decline.below=0.5"], "conf"),
        (["gate.run=conf", "retrieval=bm25"], "conf"),
        (["gate.run=4f0c"], "4f0c"),
    ],
)
def test_which_configuration_is_meant(overrides: list[str], which: str) -> None:
    cfg = OmegaConf.create({"gate": {"run": dict(own.split("=") for own in overrides).get("gate.run")}})
    assert wanted(cfg, overrides) == which


def test_a_run_and_keys_are_refused() -> None:
    with pytest.raises(InputError, match=r"gate.run=4f0c and chunking.size=...: name a run or keys"):
        wanted(OmegaConf.create({"gate": {"run": "4f0c"}}), ["chunking.size=64"])


# The reports

ODD = "a|b <i>\x00*x*"


def result(*verdict: str) -> Result:
    findings = [Finding("threshold", ODD, 0.5, Interval(0.4, 0.6), ">= 0.900", own, "so") for own in verdict]  # type: ignore[arg-type]
    before, after = (Answered("q1", "Wie | viel?", "c", label, "", "") for label in ("correct", "wrong"))  # type: ignore[arg-type]
    return Result("p: the champion", "5 questions", "r1", "r2", findings, [Flip("worse", before, after)] * 21)


@pytest.mark.parametrize(
    ("verdict", "passed", "headline"),
    [
        (("passed", "not measured"), True, "gate passed: 1 passed, 1 not measured"),
        (("passed", "failed"), False, "gate FAILED: 1 failed, 1 passed"),
        (("not measured",), False, "gate FAILED: 1 not measured"),  # never green because nothing was measured
        ((), False, "gate FAILED: nothing was checked"),
    ],
)
def test_what_passes(verdict: tuple[str, ...], passed: bool, headline: str) -> None:
    assert result(*verdict).passed == passed
    assert text(result(*verdict)).endswith(headline)


def test_junit_is_read_by_its_readers_whatever_a_name_holds() -> None:
    xml = junit(result("passed", "failed", "not measured"))
    (suite,) = ElementTree.fromstring(xml.encode())
    assert {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "3",
        "failures": "1",
        "errors": "0",
        "skipped": "1",
    }
    (read,) = JUnitXml.fromstring(xml.encode())
    assert [(case.is_passed, case.is_failure, case.is_skipped) for case in read] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]
    assert next(iter(read)).name == "a|b <i>\ufffd*x* >= 0.900"


def test_markdown_keeps_its_table_whatever_a_name_holds() -> None:
    page = markdown(result("failed"))
    table = [line for line in page.splitlines() if line.startswith("|")]
    assert table[2].startswith(r"| **a\|b \<i>")
    cells = {line.replace(r"\|", "").count("|") for line in table}
    assert cells == {7}  # six columns in both tables
    assert "Questions that got worse: 21" in page
    assert "... and 1 more" in page
