"""Export, label, import, agreement: on a real MLflow store."""

import csv
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mlflow
import pandas as pd
import pytest
from mlflow.entities import AssessmentSource
from tiny import plain, workplace

from pipelines.judge_noise import judge_noise
from pipelines.review import review
from pipelines.tracking import Tracking
from rag.errors import InputError


@pytest.fixture
def run(tmp_path: Path) -> Iterator[str]:
    """The id of a run with the rows of 9 questions: 4 correct, 4 wrong, 1 declined."""
    with workplace(tmp_path):
        mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
        labels = ["correct"] * 4 + ["wrong"] * 4 + ["declined"]
        texts = {"question": "?", "expected_answer": "Ja", "answer": "Ja", "category": "c", "answerable": True}
        rows = [
            {"id": f"q{n}", "label": label, "cited": ["a"], "references": [], **texts} for n, label in enumerate(labels)
        ]
        with mlflow.start_run(experiment_id="0") as run:  # not in the one that an earlier test of the process has set
            mlflow.log_table(pd.DataFrame(rows), "questions.json")
            mlflow.set_tag("judge", "it's one")
        yield run.info.run_id


PEOPLE = {f"q{n}": "richtig" if n < 3 else "falsch" for n in range(8)}  # the judge errs on q3


def data(run: str) -> Any:
    return plain(mlflow.MlflowClient().get_run(run)).data


def traces(run: str) -> dict[str, Any]:
    found = mlflow.search_traces(run_id=run, locations=["0"], return_type="list")
    return {trace.info.tags["messlatte.question"]: trace for trace in found}


def test_from_export_to_agreement_by_file(run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "r.csv"
    own = ["--run", run, "--file", str(file)]
    with pytest.raises(InputError, match="import the labels of people first"):
        review(["agreement", *own])
    assert review(["export", *own, f"tracking.uri=sqlite:///{tmp_path}/mlflow.db"]) == 0
    assert "8 judged answers are in" in capsys.readouterr().out
    with file.open(encoding="utf-8-sig", newline="") as lines:
        shown = [line["id"] for line in csv.DictReader(lines, delimiter=";")]
    file.write_text("id;label\n" + "".join(f"{own};{PEOPLE[own]}\n" for own in shown), encoding="utf-8")
    assert review(["import", *own]) == 0
    assert review(["agreement", *own]) == 0
    # observed 7/8; chance 3/8 * 4/8 + 5/8 * 4/8 = 1/2; kappa (7/8 - 1/2) / (1/2) = 0.75
    assert "agreement 0.88, kappa 0.75" in capsys.readouterr().out
    logged = data(run)
    assert logged.metrics["judge_kappa"] == pytest.approx(0.75)
    assert logged.metrics["judge_reviewed"] == 8
    assert logged.tags["judge_validated"] == "true"
    store = Tracking("Default")
    assert (store.validated("it's one"), store.validated("another")) == (True, False)
    assert review(["agreement", *own, "review.kappa=0.8"]) == 1
    assert data(run).tags["judge_validated"] == "false"
    assert not store.validated("it's one")

    file.write_text("id;label\nq8;falsch\n", encoding="utf-8")
    with pytest.raises(InputError, match="id 'q8' is no judged answer"):
        review(["import", *own])
    file.write_text("id;answer;label\nq0;Ja;falsch\nq1;Nein;richtig\nq8;Nein;richtig\n", encoding="utf-8")
    capsys.readouterr()
    assert review(["import", *own]) == 0
    said = capsys.readouterr().out
    assert "2 labels left out" in said
    assert "1 labels of people kept" in said
    file.write_text("id;answer;label\nq0;Nein;falsch\n", encoding="utf-8")
    with pytest.raises(InputError, match="its 1 labels are of other answers"):
        review(["import", *own])
    with pytest.raises(InputError, match="run none: not in sqlite:"):
        review(["export", "--run", "none"])


def test_from_export_to_agreement_in_the_ui(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    own = ["--run", run]
    assert review(["export", *own]) == 0
    assert review(["export", *own]) == 0  # shows nothing twice
    with pytest.raises(InputError, match="no label; export, label the answers, then import"):
        review(["import", *own])
    shown = traces(run)
    assert shown.keys() == PEOPLE.keys()
    (span,) = shown["q0"].data.spans
    assert span.inputs == {"question": "?", "expected_answer": "Ja", "references": []}
    assert span.outputs == {"answer": "Ja", "cited": ["a"]}
    assert not any("correct" in str(trace.to_dict()) for trace in shown.values())  # what the judge said is not shown

    expert, judge = AssessmentSource("HUMAN", "expert"), AssessmentSource("LLM_JUDGE", "m")
    for question, label in PEOPLE.items():
        trace = shown[question].info.trace_id
        mlflow.log_feedback(trace_id=trace, name="label", value=label, source=expert)
        mlflow.log_feedback(trace_id=trace, name="label", value="teilweise", source=judge)
        mlflow.log_feedback(trace_id=trace, name="other", value="teilweise", source=expert)
    assert review(["import", *own]) == 0
    assert review(["agreement", *own]) == 0
    assert "agreement 0.88, kappa 0.75" in capsys.readouterr().out
    # A second thought counts.
    mlflow.log_feedback(trace_id=shown["q3"].info.trace_id, name="label", value="Correct", source=expert)
    assert review(["import", *own]) == 0
    assert review(["agreement", *own]) == 0
    assert data(run).metrics["judge_agreement"] == 1

    mlflow.log_feedback(trace_id=shown["q1"].info.trace_id, name="label", value="gut", source=expert)
    with pytest.raises(InputError, match="question 'q1': label 'gut' must be one of correct, partly, wrong, richtig"):
        review(["import", *own])


@pytest.mark.parametrize("answers", [0, -3])
def test_nothing_to_review_is_said(run: str, answers: int, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf"review\.answers={answers}: must be 1 or more"):
        review(["export", "--run", run, f"review.answers={answers}"])
    assert not (tmp_path / "review.csv").exists()


@pytest.mark.parametrize("repeats", [1, 0, -1])
def test_noise_takes_two_repeats(repeats: int) -> None:
    with pytest.raises(InputError, match="two or more"):
        judge_noise(["--run", "any", "--repeats", str(repeats)])


def test_a_store_that_is_down_is_said_at_once(tmp_path: Path) -> None:
    with workplace(tmp_path):
        start = time.monotonic()
        with pytest.raises(InputError, match=r"tracking\.uri=http://127"):
            review(["export", "--run", "any", "tracking.uri=http://127.0.0.1:9"])
        assert time.monotonic() - start < 30


@pytest.mark.parametrize(
    ("name", "damage"),
    [("questions.json", "{}"), ("questions.json", "["), ("questions.json", '{"columns": [], "data": [[1]]}')],
)
def test_a_damaged_artefact_is_named(run: str, name: str, damage: str) -> None:
    mlflow.MlflowClient().log_text(run, damage, name)
    with pytest.raises(InputError, match=rf"^run {run}: (no )?questions\.json"):
        review(["export", "--run", run])


def test_a_damaged_configuration_is_named(run: str) -> None:
    mlflow.MlflowClient().log_text(run, "[: x", "config.yaml")
    with pytest.raises(InputError, match=rf"^run {run}: config\.yaml is damaged"):
        judge_noise(["--run", run])


def test_a_key_that_would_have_no_effect_is_refused(run: str) -> None:
    with pytest.raises(InputError, match=r"^judge=llm: not a key of this command; valid: tracking\.uri$"):
        judge_noise(["--run", run, "judge=llm"])
    with pytest.raises(InputError, match=r"^chunking\.size=3: not a key of this command; valid: review\.answers"):
        review(["export", "--run", run, "chunking.size=3"])
