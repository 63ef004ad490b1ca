"""The check report on a small set, counted by hand."""

from math import sqrt

import pytest
from golden_samples import document

from evaluation.golden import GoldenSet
from evaluation.golden.check import check
from evaluation.golden.copied import copies
from evaluation.golden.near import near_duplicates
from evaluation.golden.precision import detectable_difference, margin_of_error
from evaluation.golden.report import as_text
from evaluation.records import Question, Reference
from rag.errors import InputError
from rag.findings import Finding

PUBLIC = document("hof", ("x", "# Hof", "Die neue Schranke öffnet morgens um sechs.\n"))
SECRET = document("geld", ("x", "# Geld", "Die Zulage beträgt zwei Euro.\n"), groups=("lohn",))
QUESTIONS = (
    Question("a", "Wann öffnet die Schranke?", "6 Uhr", (Reference("hof", "s1"),), "Hof", "leicht"),
    Question("b", "Wie früh kommt die neue Schranke, öffnet morgens wer?", "x", (Reference("hof"),), "Hof"),
    Question("c", "Wie hoch ist die Zulage?", "2 Euro", (Reference("geld"),), "Geld", groups=("lohn", "chefs")),
    Question("d", "Was bekommt man dazu?", "2 Euro", (Reference("geld"),), "Geld", groups=("gast",)),
    Question("e", "Was bekommt man noch?", "", (Reference("geld"),), groups=("gast",), answerable=False),
    Question("f", "Wann öffnet denn die Schranke?", "6 Uhr"),
    Question("g", "Wohin?", "Hierher", (Reference("fehlt"),)),
)
UNREAD = Finding("line 9", "not JSON", "correct the line", "not JSON")


def test_report() -> None:
    report = check(GoldenSet(QUESTIONS, (UNREAD,)), [PUBLIC, SECRET], {})
    assert report.questions == 6
    assert [finding.kind for finding in report.findings] == ["not JSON", "unknown document"]
    assert report.categories == {"Hof": 2, "Geld": 2, "": 2}
    assert report.difficulties == {"": 5, "leicht": 1}
    assert report.groups == {"": 3, "gast": 2, "lohn": 1, "chefs": 1}
    assert report.unanswerable == ("e",)
    assert report.unreferenced == ("f",)
    assert [(pair.first, pair.second) for pair in report.near_duplicates] == [("a", "f")]
    assert report.forbidden == ("d",)  # e is unanswerable because of that
    assert report.copied == ("b",)  # neue Schranke öffnet
    assert report.compared == 5
    assert report.lock.unlocked == ("a", "b", "c", "d", "e")
    assert report.margins == pytest.approx({0.5: 1.96 * sqrt(0.5 * 0.5 / 6), 0.8: 1.96 * sqrt(0.8 * 0.2 / 6)})
    assert report.detectable == 1.96 * sqrt(0.2 / 6)


def test_report_as_text() -> None:
    text = as_text(check(GoldenSet(QUESTIONS, (UNREAD,)), [PUBLIC, SECRET], {}))
    assert "  line 9: not JSON (correct the line)" in text
    assert "unanswerable: 1 of 6 (17%), too many (good practice: 10% to 15%)" in text
    assert "may not read the reference: 1: d" in text
    assert "disagree on 20%: none" in text  # 1.96 * sqrt(0.2 / 6) = 0.36 > 0.2


def test_nothing_usable() -> None:
    with pytest.raises(InputError, match="1 x unknown document"):
        check(GoldenSet(QUESTIONS[-1:], ()), [PUBLIC], {})


def test_precision() -> None:
    assert margin_of_error(0.5, 100) == pytest.approx(0.098)  # 1.96 * 0.5 / 10
    assert margin_of_error(0.8, 100) == pytest.approx(0.0784)  # 1.96 * 0.4 / 10
    assert detectable_difference(0.25, 100) == pytest.approx(0.098)  # 1.96 * 0.5 / 10


def test_near_duplicates_ask_for_the_same_groups() -> None:
    first, second = Question("a", "Wann öffnet der Hof?"), Question("b", "Der Hof, wann öffnet er?", groups=("x",))
    assert near_duplicates([first, second]) == ()
    same = Question("c", "wann der Hof öffnet")
    assert [(pair.first, pair.second, pair.similarity) for pair in near_duplicates([first, same])] == [("a", "c", 100)]


@pytest.mark.parametrize(
    ("question", "copied"),
    [
        ("Gilt die Frist der Kündigung im Probejahr?", True),
        ("FRIST, KU\u0308NDIGUNG, PROBEJAHR", True),
        ("Gilt die Kündigung mit Frist im Probejahr?", False),
        ("Frist der Kündigung?", False),
        ("", False),
    ],
)
def test_copied_wording(question: str, copied: bool) -> None:
    assert copies(question, "Es gibt eine Frist der Kündigung im Probejahr.") == copied
