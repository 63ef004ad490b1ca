"""BM25 computed by Qdrant against our matrix, which equals rank_bm25 (test_lexical.py)."""

from collections.abc import Callable

import numpy as np
import pytest

from rag.index import Location, edge, memory
from rag.lexical import Analyzer, stored
from rag.records import Chunk, Document
from rag.retrieval import LexicalIndex

WORDS = ["pumpe", "leck", "urlaub", "gehalt", "prüfung", "druck", "monteur", "frist", "kessel", "ventil"]
GROUPS = [(), ("a",), ("b",)]


def corpus(n: int = 200) -> tuple[list[Chunk], dict[str, Document]]:
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(WORDS, rng.integers(0, 12))) for _ in range(n)]  # some have no word at all
    documents = {f"d{i}": Document(f"d{i}", "", text, (), groups=GROUPS[i % 3]) for i, text in enumerate(texts)}
    return [Chunk(f"d{i}", 0, len(text), text, f"d{i}#s0") for i, text in enumerate(texts)], documents


@pytest.mark.parametrize("place", [edge, memory])
def test_the_hits_of_bm25(place: Callable[[], Location]) -> None:
    chunks, documents = corpus()
    questions = ["pumpe leck", "die der das", "urlaub urlaub urlaub frist", "quantencomputer", "kessel pumpe ventil"]
    groups = [("a",), (), ("b", "a"), ("a",), ()]
    ours = LexicalIndex(chunks, documents, Analyzer()).search(questions, groups, 20)
    theirs = stored(language="german").build(place(), "terms", chunks, documents).search(questions, groups, 20)
    assert [len(hits) for hits in theirs] == [20, 0, 20, 0, 20]
    for own, other in zip(ours, theirs, strict=True):
        # scores that differ in the seventh digit may change places, so chunks are compared through their scores
        assert [hit.score for hit in own] == pytest.approx([hit.score for hit in other], rel=1e-6)
        exact = {hit.chunk.id: hit.score for hit in own}
        last = min((hit.score for hit in own), default=0.0)
        assert all(hit.score == pytest.approx(exact.get(hit.chunk.id, last), rel=1e-6) for hit in other)
        assert [hit.rank for hit in other] == list(range(1, len(other) + 1))
    assert {hit.chunk.document for hit in theirs[4]} <= {d for d in documents if not documents[d].groups}


def test_a_setting_that_the_analyzer_does_not_know() -> None:
    with pytest.raises(TypeError, match="stems"):
        stored(language="german", stems=True)
