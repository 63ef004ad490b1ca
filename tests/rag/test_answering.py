"""Refusals, citations, statements, and the sentence or row that is quoted."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from rag.answering import Extractive, answer_all, background_questions, background_threshold
from rag.answering.extractive import statements
from rag.answering.guards import DECLINED
from rag.chunking import Structure, chunk_corpus
from rag.corpus.folder import load_folder
from rag.embedding import SentenceTransformerEmbedder
from rag.records import Answer, Chunk, Hit

TINY = Path(__file__).parent.parent / "data" / "tiny"


def hit(text: str, rank: int = 1, context: str = "") -> Hit:
    return Hit(Chunk("d", 0, len(text), text, "d#s0", context), rank, 1.0)


class Scripted:
    """Stands for a generator: gives the answers it was made with and remembers the questions."""

    def __init__(self, *answers: Answer) -> None:
        self.answers, self.asked = list(answers), []  # type: ignore[var-annotated]

    def __call__(self, questions: Sequence[str], passages: Sequence[Sequence[Hit]]) -> list[Answer]:
        self.asked += questions
        return self.answers


GOOD = Answer("30 Tage [1]", (1,), declined=False)


def test_below_the_threshold_nothing_is_asked() -> None:
    generator = Scripted(GOOD, GOOD)
    passages = [[hit("a")], [hit("b")], [hit("c")], []]
    answers = answer_all(generator, ["w", "x", "y", "z"], passages, np.array([0.5, 0.49, 0.9, 0.9]), 0.5)
    assert answers == [GOOD, DECLINED, GOOD, DECLINED]
    assert generator.asked == ["w", "y"]


@pytest.mark.parametrize(
    "answer",
    [
        Answer("30 Tage", (), declined=False),
        Answer("30 Tage [0]", (0,), declined=False),
        Answer("30 Tage [3]", (3,), declined=False),
        Answer("30 Tage [1][3]", (1, 3), declined=False),
        Answer(" ", (1,), declined=False),
    ],
)
def test_an_answer_without_a_citation_that_exists_is_declined(answer: Answer) -> None:
    (given,) = answer_all(Scripted(answer), ["x"], [[hit("a"), hit("b", 2)]], np.ones(1), 0.5)
    assert given == Answer(answer.text, (), declined=True)  # what it said can still be read


def test_every_passage_may_be_cited() -> None:
    answer = Answer("a [1] b [2]", (1, 2), declined=False)
    assert answer_all(Scripted(answer), ["x"], [[hit("a"), hit("b", 2)]], np.ones(1), 0.5) == [answer]


def test_the_threshold_is_what_background_questions_reach_by_chance() -> None:
    passages = np.array([[1.0, 0.0], [0.0, 1.0]])
    background = np.array([[0.6, 0.8], [1.0, 0.0], [-0.6, -0.8]])
    # best cosines: 0.8, 1.0, -0.6; sorted -0.6, 0.8, 1.0: the median is 0.8, three quarters lie at 0.8 + 0.5 * 0.2
    assert background_threshold(background, passages, 0.5) == pytest.approx(0.8)
    assert background_threshold(background, passages, 0.75) == pytest.approx(0.9)


def test_background_questions_are_many_and_distinct() -> None:
    questions = background_questions()
    assert len(questions) == len(set(questions)) >= 30
    assert not [question for question in questions if question.startswith("#") or not question.endswith("?")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Titel\n\nEin Satz. Noch einer!", ["Ein Satz.", "Noch einer!"]),
        ("Ein Satz,\nder umbricht. Ende.", ["Ein Satz, der umbricht.", "Ende."]),
        ("- Helm tragen\n- Brille tragen\n* Schuhe", ["Helm tragen", "Brille tragen", "Schuhe"]),
        ("1. Ventil schließen\n2. Druck ablassen", ["1. Ventil schließen", "2. Druck ablassen"]),
        ("> Wichtig: sofort melden.", ["Wichtig: sofort melden."]),
        (
            "| Arbeitsmittel | Frist | Wer |\n|---|:-:|---|\n| Anlegeleiter | 12 Monate | Lohse |\n| Tritt | | Ott |",
            ["Anlegeleiter: Frist 12 Monate, Wer Lohse", "Tritt: Wer Ott"],
        ),
        ("| Anlegeleiter | 12 Monate |\n| Tritt | 6 Monate |", ["Anlegeleiter, 12 Monate", "Tritt, 6 Monate"]),
        ("Vorher.\n| A | B |\n|---|---|\n| 1 | 2 |\nNachher.", ["Vorher.", "1: B 2", "Nachher."]),
        ("Werkzeuge, z. B. Zangen, kosten ca. 30 EUR. Ende.", ["Werkzeuge, z. B. Zangen, kosten ca. 30 EUR.", "Ende."]),
        ("Am 31. März verfällt der Rest. Ende.", ["Am 31. März verfällt der Rest.", "Ende."]),
        ("---\n\n***\n", []),
        ("", []),
    ],
)
def test_statements(text: str, expected: list[str]) -> None:
    assert list(statements(text)) == expected


def test_a_piece_of_a_table_is_read_with_the_header_of_its_context() -> None:
    vectors = {"Tritt: Frist 6 Monate": [1.0, 0.0]}
    extractive = Extractive(lambda q: np.array([[1.0, 0.0]]), lambda t: np.array([vectors[text] for text in t]))
    piece = hit("| Tritt | 6 Monate |", context="Leitern\n| Mittel | Frist |\n|---|---|")
    assert extractive(["wann?"], [[piece]]) == [Answer("Tritt: Frist 6 Monate [1]", (1,), declined=False)]


def test_the_closest_statements_are_quoted_and_rank_decides_between_equals() -> None:
    cosine = {"Eins.": 0.5, "Zwei.": 0.9, "Drei.": 0.5, "Vier.": 0.1}
    extractive = Extractive(
        lambda questions: np.array([[1.0, 0.0]]),
        lambda texts: np.array([[cosine[text], 0.0] for text in texts]),
        sentences=3,
    )
    passages = [hit("Vier. Eins."), hit("Zwei. Drei.", 2), hit("Zwei.", 3)]
    # 0.9 + 0.02 / 2, then 0.5 + 0.02 / 1 before 0.5 + 0.02 / 2; the repeated sentence is quoted once
    assert extractive(["?"], [passages]) == [Answer("Zwei. [2] Eins. [1] Drei. [2]", (2, 1), declined=False)]


def test_passages_without_a_statement_are_declined() -> None:
    extractive = Extractive(lambda q: np.ones((1, 1)), lambda t: np.ones((len(t), 1)))
    assert extractive(["?"], [[hit("# Nur ein Titel")]]) == [DECLINED]
    assert extractive([], []) == []


@pytest.fixture(scope="module")
def embedder() -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder("e5-small", "query: ", "passage: ")


@pytest.mark.model
@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("Podestleiter wann prüfen?", "Podestleiter: Frist 6 Monate"),
        ("Wie oft wird ein Druckbehälter innen geprüft?", "Druckbehälter werden alle fünf Jahre innen geprüft."),
        ("Wie viele Tage Urlaub habe ich im Jahr?", "Jeder Beschäftigte hat 30 Tage Urlaub im Jahr."),
    ],
)
def test_the_sentence_or_row_that_answers_is_quoted_and_cited(
    question: str, quoted: str, embedder: SentenceTransformerEmbedder
) -> None:
    chunks = chunk_corpus(load_folder(str(TINY)), Structure(64, 0), embedder.tokenizer)
    passages = [Hit(chunk, rank, 0.0) for rank, chunk in enumerate(chunks, 1)]
    extractive = Extractive(embedder.embed_queries, embedder.embed_passages, sentences=1)
    (answer,) = extractive([question], [passages])
    (number,) = answer.citations
    assert answer.text == f"{quoted} [{number}]"
    assert quoted.split(":")[0] in passages[number - 1].chunk.text
