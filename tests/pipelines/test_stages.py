import pytest
from tiny import SMALL, point

from pipelines import stages


@pytest.mark.model
def test_points_that_fuse_differently_share_their_lists() -> None:
    one, other, words, deep = (
        stages.candidates(point(*SMALL, *own))[0]
        for own in ([], ["retrieval.rrf_k=1", "retrieval.dense_weight=2"], ["retrieval=bm25"], ["retrieval.depth=9"])
    )
    assert other.dense is one.dense
    assert other.bm25 is one.bm25 is words.bm25
    assert words.dense is None
    assert deep.dense is not one.dense
    best = other.fused[0]  # found first by meaning: 2 / (1 + 1), and at some rank by words, or not at all
    rank = next((hit.rank for hit in other.bm25 if hit.chunk == best.chunk), None)
    first = next(hit.rank for hit in other.dense if hit.chunk == best.chunk)
    assert best.score == pytest.approx(2 / (1 + first) + (1 / (1 + rank) if rank else 0))
