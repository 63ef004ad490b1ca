import pytest

from evaluation.judges import Case, Deterministic, Judgement
from evaluation.labels import is_judged, label_all
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
        ("Bis 14:00 Uhr", "Lieferung bis 11:00 Uhr, Zuschlag 14 % [1]", "wrong"),
        ("80 °C (WPS-21, höchstens 220 °C)", "Vorwärmen auf 80 °C [1]", "correct"),  # brackets explain
        ("(80 °C)", "Vorwärmen auf 80 °C [1]", "correct"),
        # One number of two, in a text that shares none of four words
        ("50 % vom Material, bis 12 Monate gibt die Leitung frei", "Garantie: 12 Monate auf alle Teile [1]", "wrong"),
        ("50 % vom Material, bis 12 Monate gibt die Leitung frei", "Bis 12 Monate die Leitung [1]", "partly"),
        ("Nein, das ist verboten.", "Ja, verboten ist das nur am Sonntag [1]", "wrong"),
        ("Ja, bis 250 EUR", "**Nein**, erst über 250 EUR [1]", "wrong"),
        ("Ja, bis 250 EUR", "Ja: 250 EUR [1]", "correct"),
        ("Nein, höchstens 5 Nm", "Normal sind 5 Nm [1]", "correct"),  # opens with neither yes nor no
    ],
)
def test_the_deterministic_judge(expected, answer, verdict):
    assert JUDGE.verdict("Und?", expected, answer) == verdict


def test_what_the_question_names_itself_is_no_fact_of_the_answer():
    question = "Was bedeutet E17 an der TS-7?"
    assert JUDGE.verdict(question, "E17 heißt Trockenlauf, Zulauf prüfen.", "E17: Motor überhitzt [1]") == "wrong"
    assert (
        JUDGE.verdict(question, "E17 heißt Trockenlauf, Zulauf prüfen.", "Trockenlauf erkannt, Zulauf prüfen [1]")
        == "correct"
    )


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("Bis zu 3 Tage je Woche bei Vollzeit. [1] Bis zu 2 Tage je Woche bei Vollzeit. [2]", "partly"),  # old and new
        ("Vollzeit: 3 Tage Heimarbeit; Vollzeit: 2 Tage Heimarbeit [1]", "partly"),
        ("Bis zu 3 Tage je Woche bei Vollzeit. [1] Bis zu 3 Tage je Woche bei Vollzeit. [2]", "correct"),
        ("Bis zu 3 Tage je Woche bei Vollzeit. [1] Bis zu 2 Tage je Woche bei Teilzeit. [2]", "correct"),
        ("Stufe P1 bei Vollzeit: 3 Tage je Woche [1] Stufe P2 bei Vollzeit: 2 Tage je Woche [1]", "correct"),
        ("Heimarbeit mit Vollzeit: 3 Tage [1] Heimarbeit ohne Vollzeit: 2 Tage [1]", "correct"),
        ("Fassung 2025 Vollzeit: 3 Tage [1] Fassung 2020 Vollzeit: 2 Tage [2]", "correct"),  # it says which
        ("Bis zu 3 Tage je Woche bei Vollzeit. [1] Bis zu 2 Stunden je Woche bei Vollzeit. [2]", "correct"),
    ],
)
def test_a_fact_beside_its_contradiction_is_partly_right(answer, verdict):
    assert JUDGE.verdict("Wie oft von zu Hause?", "Bis zu 3 Tage", answer) == verdict


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
    (given,) = label_all([question], [answer], [cited], {"q1": EVIDENCE if answerable else ()}, JUDGE)
    assert given == Judgement(expected)


def test_without_an_expected_answer_the_citation_decides():
    question = Question("q1", "Wie oft?")
    labels = label_all([question] * 2, [RIGHT] * 2, [{"rl"}, {"xy"}], {"q1": EVIDENCE}, JUDGE)
    assert [own.label for own in labels] == ["correct", "wrong"]


class Recording:
    """A double of a judge: fails for one question, calls all else correct."""

    name, prompt_hash = "recording", ""

    def __init__(self):
        self.calls = []

    def __call__(self, cases, progress=None):
        self.calls.append(cases)
        return [Judgement(None, error="down") if case.question == "b" else Judgement("correct", "so") for case in cases]


def test_the_judge_gets_all_its_cases_at_once_and_what_failed_has_no_label():
    questions = [Question(own, own, "Ja") for own in "abcd"] + [Question("e", "e", answerable=False)]
    answers = [RIGHT, RIGHT, Answer("", (), False, "timed out"), RIGHT, DECLINED]
    cited = [{"rl"}, {"rl"}, set(), {"xy"}, set()]
    judge = Recording()
    labels = label_all(questions, answers, cited, dict.fromkeys("abcd", EVIDENCE) | {"e": ()}, judge)
    assert judge.calls == [[Case(own, "Ja", RIGHT.text) for own in "abd"]]
    assert labels == [
        Judgement("correct", "so"),
        Judgement(None, error="down"),
        Judgement(None, error="timed out"),
        Judgement("partly", "so"),
        Judgement("correct"),
    ]
    pairs = zip(questions, answers, strict=True)
    assert [is_judged(*pair) for pair in pairs] == [True, True, False, True, False]
