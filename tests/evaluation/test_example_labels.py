"""The deterministic judge against the labels by hand of the example."""

import csv
from pathlib import Path

import pytest

from evaluation.agreement import Agreement, agreement
from evaluation.golden import load
from evaluation.judges import Deterministic
from evaluation.labels import label_all
from evaluation.records import Evidence, Question
from evaluation.review import read
from rag.records import Answer

EXAMPLE = Path("examples/tannhoff")
LABELS = ("correct", "partly", "wrong")
MEASURED = {"urteile-1.csv": 0.836, "urteile-2.csv": 0.660, "urteile-3.csv": 0.780}  # kappa


def table(file: str) -> list[dict[str, str]]:
    with (EXAMPLE / file).open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.DictReader(lines, delimiter=";"))


def agree(file: str) -> Agreement:
    """Judged again from what the file holds, so that no run is needed."""
    rows = table(file)
    questions = [Question(row["id"], row["question"], row["expected_answer"]) for row in rows]
    answers = [Answer(row["answer"], (), False) for row in rows]
    places = {row["id"]: [place.rsplit(":", 1)[0] for place in row["references"].split("; ")] for row in rows}
    evidence = {own: [Evidence(document, 0, 1, "section") for document in found] for own, found in places.items()}
    judged = label_all(questions, answers, [row["cited"].split("; ") for row in rows], evidence, Deterministic())
    by_hand = read(EXAMPLE / file)
    return agreement([by_hand[row["id"]].label for row in rows], [str(own.label) for own in judged], LABELS)


@pytest.mark.parametrize("file", MEASURED)
def test_the_deterministic_judge_agrees_with_the_labels_by_hand(file: str) -> None:
    found = agree(file)
    assert found.n == 50
    assert found.kappa >= MEASURED[file] - 0.05


@pytest.mark.parametrize("file", MEASURED)
def test_the_documented_figures_are_those_of_the_judge(file: str) -> None:
    found = agree(file)
    lines = Path("docs/labels.md").read_text("utf-8").splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith(f"| `{file}` |"))
    kappa = f"{found.observed:.2f} | {found.kappa:.2f} ({found.low:.2f} to {found.high:.2f})"
    said = " | ".join(" / ".join(map(str, counts)) for counts in found.table)
    assert lines[first + 1] == f"| | | `deterministic-2` | {kappa} | {said} |"


def test_every_question_is_labelled_once_and_has_a_reason() -> None:
    rows = [row for file in MEASURED for row in table(file)]
    golden = {own.id: (own.question, own.expected_answer) for own in load(str(EXAMPLE / "fragen.jsonl"))}
    assert len({row["id"] for row in rows}) == len(rows) == 150
    assert all(row["reason"] and row["label"] for row in rows)
    assert all(golden[row["id"]] == (row["question"], row["expected_answer"]) for row in rows)
