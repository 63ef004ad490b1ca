"""The deterministic judge against the labels by hand of the example."""

import csv
from pathlib import Path

import pytest

from evaluation.agreement import Agreement, agreement
from evaluation.judges import Deterministic
from evaluation.labels import label_all
from evaluation.records import Evidence, Question
from evaluation.review import read
from rag.records import Answer

EXAMPLE = Path("examples/tannhoff")
LABELS = ("correct", "partly", "wrong")


def agree(file: Path) -> Agreement:
    """Judged again from what the file holds, so that no run is needed."""
    with file.open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter=";"))
    questions = [Question(row["id"], row["question"], row["expected_answer"]) for row in rows]
    answers = [Answer(row["answer"], (), False) for row in rows]
    places = {row["id"]: [place.rsplit(":", 1)[0] for place in row["references"].split("; ")] for row in rows}
    evidence = {own: [Evidence(document, 0, 1, "section") for document in found] for own, found in places.items()}
    judged = label_all(questions, answers, [row["cited"].split("; ") for row in rows], evidence, Deterministic())
    people = read(file)
    return agreement([people[row["id"]].label for row in rows], [str(own.label) for own in judged], LABELS)


@pytest.mark.parametrize(("file", "measured"), [("urteile-1.csv", 0.836)])
def test_the_deterministic_judge_agrees_as_documented(file: str, measured: float) -> None:
    found = agree(EXAMPLE / file)
    assert found.n == 50
    assert found.kappa >= measured - 0.05
    assert f"{found.kappa:.2f} ({found.low:.2f} to {found.high:.2f})" in Path("docs/labels.md").read_text("utf-8")
