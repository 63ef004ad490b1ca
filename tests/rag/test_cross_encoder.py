import unicodedata
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from rag.cache import Cache
from rag.reranking import CachedReranker, CrossEncoderReranker, count_truncated
from rag.reranking.reranker import Pair

QUESTION = "Ab wann brauche ich ein Attest?"
PAIRS = [
    (QUESTION, "Ab dem vierten Krankheitstag ist eine ärztliche Bescheinigung vorzulegen."),
    (QUESTION, "Die Kantine öffnet um elf Uhr."),
    ("Wann öffnet die Kantine?", "Die Kantine öffnet um elf Uhr."),
    ("Wann öffnet die Kantine?", "Ab dem vierten Krankheitstag ist eine ärztliche Bescheinigung vorzulegen. " * 3),
]


@pytest.fixture(scope="module")
def reranker() -> CrossEncoderReranker:
    return CrossEncoderReranker()


@pytest.mark.model
def test_the_answering_passage_ranks_first_and_logits_are_pinned(reranker: CrossEncoderReranker) -> None:
    scores = reranker.scores(PAIRS)
    assert scores.dtype == np.float32
    assert scores[0] > scores[1]
    assert scores[2] > scores[3]
    if reranker.dtype == "float32":
        assert scores[:2] == pytest.approx([-0.8943801, -1.294652], abs=1e-4)  # negative: no sigmoid is applied


@pytest.mark.model
def test_neither_order_nor_company_nor_unicode_form_changes_a_score(reranker: CrossEncoderReranker) -> None:
    tolerance = 1e-5 if reranker.dtype == "float32" else 0.05
    together = reranker.scores(PAIRS)
    assert np.abs(reranker.scores(PAIRS[::-1])[::-1] - together).max() < tolerance
    assert np.abs(np.concatenate([reranker.scores([pair]) for pair in PAIRS]) - together).max() < tolerance
    decomposed = [(unicodedata.normalize("NFD", q), unicodedata.normalize("NFD", p)) for q, p in PAIRS]
    assert np.array_equal(reranker.scores(decomposed), together)


@pytest.mark.model
def test_another_depth_loads_no_weights(reranker: CrossEncoderReranker) -> None:
    assert CrossEncoderReranker(depth=2, blend=0)._model is reranker._model
    assert CrossEncoderReranker(max_length=128)._model is not reranker._model


@pytest.mark.model
def test_truncation_counts_the_whole_pair(reranker: CrossEncoderReranker) -> None:
    word = len(reranker.tokenizer.offsets("Hund"))
    fits = " ".join(["Hund"] * ((256 - 4) // word - 1))  # 4 special tokens, one word is the question
    assert count_truncated(reranker, [("Hund", fits), ("Hund", fits + " Hund Hund"), ("Hund", "Hund")]) == 1


class Lengths(CrossEncoderReranker):
    """Scores a pair by its length and remembers what it was asked for."""

    revision = "1"

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Pair] = []

    def scores(self, pairs: Sequence[Pair]) -> np.ndarray:
        self.asked += pairs
        return np.array([len(question) + len(passage) for question, passage in pairs], np.float32)


def test_only_distinct_missing_pairs_are_scored(tmp_path: Path) -> None:
    inner, done = Lengths(), []
    cached = CachedReranker(inner, Cache(tmp_path / "c"))
    assert cached.scores([("a", "b"), ("a", "bcd"), ("a", "b")], done.append).tolist() == [2, 4, 2]
    assert cached.scores([("ab", ""), ("a", "bcd")]).tolist() == [2, 4]
    assert inner.asked == [("a", "bcd"), ("a", "b"), ("ab", "")]  # in each call the longest first
    assert sum(done) == 3
    assert cached.scores([]).shape == (0,)


@pytest.mark.parametrize("change", [{"revision": "2"}, {"max_length": 128}, {"dtype": "int8"}])
def test_all_that_determines_a_score_is_in_the_key(tmp_path: Path, change: dict[str, object]) -> None:
    cache = Cache(tmp_path / "c")
    CachedReranker(Lengths(), cache).scores([("a", "b")])
    other = Lengths()
    vars(other).update(change)
    CachedReranker(other, cache).scores([("a", "b")])
    assert other.asked == [("a", "b")]


def test_remembered_scores_are_not_computed(tmp_path: Path) -> None:
    inner = Lengths()
    cached = CachedReranker(inner, Cache(tmp_path / "c"))
    cached.remember([("a", "b")], np.array([7.5], np.float32))
    assert cached.scores([("a", "b")]).tolist() == [7.5]
    assert inner.asked == []
