import pytest

from evaluation.judges import Deterministic
from evaluation.labels import label
from evaluation.records import Evidence, Question
from rag.records import Answer

JUDGE = Deterministic()
EVIDENCE = (Evidence("rl", 0, 10, "section"),)


@pytest.mark.parametrize(
    ("expected", "answer", "verdict"),
    [
        ("Alle 12 Monate.", "Leitern werden alle zwölf Monate geprüft [1]", "correct"),
        ("Alle 12 Monate.", "Leitern werden alle 24 Monate geprüft [1]", "wrong"),
        ("Alle 12 Monate.", "Prüfdruck 12 bar [1]", "wrong"),  # the number is right, the unit is another
        ("75 EUR am Tag, ab 01.03.2025", "Norwegen: Tagessatz 75,00 € [1]", "partly"),
        ("75 EUR", "Norwegen: Tagessatz (EUR) 75,00 [1]", "correct"),  # unit in the table header
        ("Ersatzteil GD-2031", "GD-2031: Gleitringdichtung [2]", "correct"),
        ("1 Tag", "Urlaub wird in ZeitFix beantragt [1]", "wrong"),  # a citation is no quantity
        ("Ersatzteil GD-2031", "GD-2032: Gleitringdichtung [2]", "wrong"),
        (
            "Birgit Lohse, Sicherheitsfachkraft",
            "Ansprechpartnerin ist die Sicherheitsfachkraft Birgit Lohse [1]",
            "correct",
        ),
        ("Birgit Lohse, Sicherheitsfachkraft", "Zuständig ist der Betriebsrat [1]", "wrong"),
    ],
)
def test_the_deterministic_judge(expected, answer, verdict):
    assert JUDGE("Und?", expected, answer) == verdict


def test_what_the_question_names_itself_is_no_fact_of_the_answer():
    question = "Was bedeutet E17 an der TS-7?"
    assert JUDGE(question, "E17 heißt Trockenlauf, Zulauf prüfen.", "E17: Motor überhitzt [1]") == "wrong"
    assert (
        JUDGE(question, "E17 heißt Trockenlauf, Zulauf prüfen.", "Trockenlauf erkannt, Zulauf prüfen [1]") == "correct"
    )


RIGHT, DECLINED = Answer("12 Monate [1]", (1,), False), Answer("", (), True)


@pytest.mark.parametrize(
    ("answerable", "answer", "cited", "expected"),
    [
        (False, DECLINED, (), "correct"),
        (False, RIGHT, ("rl",), "wrong"),
        (True, DECLINED, (), "declined"),
        (True, RIGHT, ("rl",), "correct"),
        (True, RIGHT, ("xy",), "partly"),
        (True, Answer("3 Monate [1]", (1,), False), ("rl",), "wrong"),
    ],
)
def test_labels(answerable, answer, cited, expected):
    question = Question("q1", "Wie oft?", "Alle 12 Monate" if answerable else "", answerable=answerable)
    assert label(question, answer, cited, EVIDENCE if answerable else (), JUDGE) == expected


def test_without_an_expected_answer_the_citation_decides():
    question = Question("q1", "Wie oft?")
    assert label(question, RIGHT, {"rl"}, EVIDENCE, JUDGE) == "correct"
    assert label(question, RIGHT, {"xy"}, EVIDENCE, JUDGE) == "wrong"
