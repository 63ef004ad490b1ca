"""The gate as a person or a CI job starts it: real documents, models and store, exit codes, files, runs."""

import json
import shutil
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gate_questions
import pytest
from tiny import DATA, exit_code, workplace

from pipelines.gate import gate
from pipelines.memo import forget
from pipelines.promote import promote

pytestmark = pytest.mark.model

SETUP = ("chunking.size=64", "chunking.overlap=0", "embedding=minilm")


class Place:
    """A folder with documents and questions of its own, and what a gate leaves there."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.corpus = folder, folder / "wissen"
        self.questions = gate_questions.write(folder / "fragen.jsonl")
        shutil.copytree(DATA / "tiny", self.corpus)

    @property
    def material(self) -> tuple[str, ...]:
        return (f"corpus.path={self.corpus}", f"golden.path={self.questions}", "measures.latency_questions=1")

    def gate(self, *more: str) -> int:
        forget()  # as a new process would
        return exit_code(gate, (*self.material, *more))

    @property
    def client(self) -> Any:
        from mlflow import MlflowClient

        return MlflowClient(f"sqlite:///{self.folder / 'mlflow.db'}")

    def runs(self, kind: str) -> list[Any]:
        """The latest first."""
        return list(self.client.search_runs(["1"], f"tags.kind = '{kind}'"))

    def checks(self, run: Any) -> dict[tuple[str, str], dict[str, Any]]:
        table = json.loads(Path(self.client.download_artifacts(run.info.run_id, "checks.json")).read_text())
        found = [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]
        return {(row["kind"], row["check"]): row for row in found}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("gate")
    with workplace(folder):
        yield Place(folder)


def failed(checks: dict[tuple[str, str], dict[str, Any]]) -> set[tuple[str, str]]:
    return {name for name, row in checks.items() if row["verdict"] == "failed"}


def test_without_a_champion_one_line_says_what_to_do(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert place.gate() == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: rag-pipeline: no champion in this store; promote a run")
    assert "gate.run=conf" in line
    assert place.runs("gate") == []


def test_a_good_configuration_passes_and_is_told_everywhere(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = place.folder / "step_summary"
    shown.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(shown))
    assert place.gate(*SETUP, "gate.junit=out/gate.xml", "gate.summary=out/gate.md") == 0
    assert "gate passed: 3 passed, 3 not measured" in capsys.readouterr().out

    (run,) = place.runs("gate")
    (point,) = place.runs("point")
    tags = run.data.tags
    assert (run.info.status, tags["gate"], tags["gate_accepted"]) == ("FINISHED", "passed", "true")
    assert tags["gate_point"] == point.info.run_id
    assert point.data.tags["mlflow.parentRunId"] == run.info.run_id
    assert {name: tags[name] for name in ("golden_hash", "corpus_hash", "judge")} == {
        name: point.data.tags[name] for name in ("golden_hash", "corpus_hash", "judge")
    }
    assert run.data.metrics == {name: point.data.metrics[name] for name in ("coverage", "recall_at_8", "wrong")}
    assert run.data.params["chunking.size"] == "64"
    kept = {artifact.path for artifact in place.client.list_artifacts(run.info.run_id)}
    assert kept == {"config.yaml", "checks.json", "gate.md", "gate.xml"}

    # All 16 answers lie in the five passages that everybody may read, and 8 are taken: recall is 1.
    recall = place.checks(run)["threshold", "recall_at_8"]
    assert (recall["value"], recall["limit"], recall["verdict"]) == (1.0, ">= 0.900", "passed")
    page = (place.folder / "out" / "gate.md").read_text(encoding="utf-8")
    assert page.startswith("## Gate passed: 3 passed, 3 not measured\n")
    assert "| faithfulness | - |  | >= 0.800 | not measured | judge=ragas measures it |" in page
    assert "compared with nothing" in page
    assert shown.read_text(encoding="utf-8") == f"before\n{page}"
    assert tags["mlflow.note.content"] == page
    suites = ElementTree.parse(place.folder / "out" / "gate.xml").getroot()
    counted = {suite.get("name"): (suite.get("tests"), suite.get("failures"), suite.get("skipped")) for suite in suites}
    assert counted == {"gate.threshold": ("5", "0", "2"), "gate.regression": ("1", "0", "1")}


def test_a_worse_configuration_fails_by_regression_alone(place: Place) -> None:
    """It declines every question: no answer is wrong and retrieval is as it was, so all thresholds are kept."""
    assert place.gate(*SETUP, "decline.below=2.0", "gate.junit=gate.xml", "gate.summary=gate.md") == 1
    (worse, accepted) = place.runs("gate")
    checks = place.checks(worse)
    assert ("regression", "correct") in failed(checks)
    assert {kind for kind, _ in failed(checks)} == {"regression"}
    assert checks["threshold", "wrong"]["value"] == 0
    assert checks["regression", "correct"]["reason"].startswith("0.000 after ")
    assert checks["regression", "recall_at_top_k"]["value"] == 0
    assert (worse.data.tags["gate"], worse.data.tags["gate_accepted"]) == ("failed", "false")
    page = Path("gate.md").read_text(encoding="utf-8")
    assert f"compared with the last accepted gate run {accepted.info.run_id} on 16 of them" in page
    before = sum(1 for row in rows_of(place, accepted).values() if row["label"] == "correct")
    assert f"### Questions that got worse: {before}" in page
    assert "| correct | declined |" in page
    suites = {suite.get("name"): suite for suite in ElementTree.parse("gate.xml").getroot()}
    failures = [case.get("name") for case in suites["gate.regression"] if case.find("failure") is not None]
    assert "correct not worse" in failures
    assert suites["gate.threshold"].get("failures") == "0"


def rows_of(place: Place, run: Any) -> dict[str, dict[str, Any]]:
    from tiny import rows

    return rows(place.client.get_run(run.data.tags["gate_point"]))


def test_a_configuration_below_a_threshold_fails_by_it_alone(place: Place) -> None:
    """BM25 that knows no German words finds less, which sixteen questions are too few to call a regression."""
    assert place.gate("retrieval=bm25", "lexical=plain", *SETUP, "gate.baseline=none") == 1
    checks = place.checks(place.runs("gate")[0])
    assert failed(checks) == {("threshold", "recall_at_8")}
    assert checks["threshold", "recall_at_8"]["value"] < 0.9
    assert checks["regression", "everything"]["reason"] == "gate.baseline=none: compared with nothing"


def test_what_passes_unaccepted_is_no_baseline_and_another_limit_may_be_set(place: Place) -> None:
    accepted = place.runs("gate")[-1].info.run_id
    limits = ("gate=example", "~gate.thresholds.wrong", "+gate.thresholds.mrr.min=0.5")
    assert place.gate(*SETUP, "gate.accept=false", *limits) == 0
    latest = place.runs("gate")[0]
    assert {name for kind, name in place.checks(latest) if kind == "threshold"} == {"coverage", "recall_at_8", "mrr"}
    assert (latest.data.tags["gate"], latest.data.tags["gate_accepted"]) == ("passed", "false")
    assert latest.data.tags["gate_point"] == place.runs("point")[-1].info.run_id  # measured once, by the first gate
    assert place.gate(*SETUP, "gate.summary=gate.md") == 0
    assert accepted in Path("gate.md").read_text(encoding="utf-8")


def test_a_changed_golden_set_is_compared_on_what_both_have(place: Place) -> None:
    (first, *middle, _) = gate_questions.ASKED
    changed = [("Wie oft prüft man Druckbehälter von innen?", *first[1:]), *middle]
    other = gate_questions.write(place.folder / "neu.jsonl", changed)
    assert place.gate(*SETUP, f"golden.path={other}", "gate.summary=gate.md", "gate.accept=false") == 0
    said = " on 14 of them, as 1 are new or no longer the same"  # 16 less the last one less the first one
    assert said in Path("gate.md").read_text(encoding="utf-8")


def test_the_champion_is_measured_on_the_documents_of_today(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    first = place.runs("point")[-1].info.run_id
    assert promote([first, "force=true"]) == 0
    place.corpus = place.corpus.rename(place.folder / "umgezogen")  # where it was measured, these lay elsewhere
    assert place.gate() == 0
    said = capsys.readouterr().out
    assert "structure-64/0 · minilm · hybrid · top 8 · no reranker: the champion, version 1 of rag-pipeline" in said
    assert place.runs("gate")[0].data.tags["gate_point"] == first  # the same contents: not computed again

    urlaub = place.corpus / "urlaub.txt"
    urlaub.write_text("Zu diesem Thema gibt es zur Zeit nichts.\n", encoding="utf-8")
    (place.corpus / "pruefung.md").write_text(
        "---\nid: pruefung\n---\n# Prüffristen\n\nNeu.\n\n## Druckbehälter\n\nNeu.\n\n## Leitern\n\nNeu.\n",
        encoding="utf-8",
    )
    assert place.gate() == 1  # documents without the answers
    assert ("regression", "correct") in failed(place.checks(place.runs("gate")[0]))
    shutil.copytree(DATA / "tiny", place.corpus, dirs_exist_ok=True)
    assert place.gate(f"gate.run={first}", "gate.baseline=none") == 0  # the same set-up, by its run
    assert place.runs("gate")[0].data.params["embedding"] == "minilm"


def test_a_dry_run_measures_and_writes_nothing(place: Place) -> None:
    before = len(place.runs("gate"))
    Path("kept.xml").write_text("old")
    assert place.gate(*SETUP, "dry_run=true", "gate.junit=kept.xml") == 0
    assert len(place.runs("gate")) == before
    assert Path("kept.xml").read_text() == "old"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--quiet"], "--quiet: no such option"),
        (["chunking.size=64,128"], "one value for each key"),
        (["gate=streng"], "streng"),
        (["gate.run=0123abcd"], "run 0123abcd"),
        (["gate.run=SWEEP"], "not a point"),
        (["gate.run=conf", "gate.baseline=0123abcd"], "run 0123abcd"),
        (["gate.run=conf", "gate.junit=."], "gate.junit=.: Is a directory"),
        (["gate.run=conf", "+gate.thresholds.recall_at_7.min=0.5"], "not measured at 7"),
        (["gate.accept=vielleicht"], "must be true or false"),
    ],
)
def test_what_cannot_be_is_one_line_before_anything_runs(
    place: Place, arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = len(place.runs("gate"))
    gate_run = place.runs("gate")[-1].info.run_id
    assert place.gate(*(own.replace("SWEEP", gate_run) for own in arguments)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert problem in line
    assert len(place.runs("gate")) == before


def test_a_point_that_cannot_be_computed_fails_the_gate(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(cfg: object) -> None:
        raise RuntimeError("no space left on device")

    monkeypatch.setattr("pipelines.point.measure", broken)
    assert place.gate(*SETUP, "chunking.size=48", "gate.junit=gate.xml") == 1
    run = place.runs("gate")[0]
    assert (run.data.tags["gate"], run.data.tags["gate_accepted"]) == ("failed", "false")
    assert failed(place.checks(run)) == {("measurement", "point")}
    (failure,) = ElementTree.parse("gate.xml").getroot().iter("failure")
    assert "no space left on device" in str(failure.get("message"))
