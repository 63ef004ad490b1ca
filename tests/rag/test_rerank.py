import numpy as np
import pytest

from rag.records import Chunk, Hit
from rag.reranking import rerank


def hits(*names: str) -> list[Hit]:
    return [Hit(Chunk(name, 0, 1, "x", f"{name}#s0"), rank, 1 / rank) for rank, name in enumerate(names, 1)]


def order(ranking: list[Hit]) -> list[str]:
    return [hit.chunk.document for hit in ranking]


def test_the_head_is_sorted_by_score_and_the_tail_follows_as_it_was() -> None:
    (ranked,) = rerank([hits("a", "b", "c", "d")], np.array([1.0, 3.0, 2.0]), [np.zeros(4)], depth=3, weight=1.0)
    assert order(ranked) == ["b", "c", "a", "d"]
    assert [hit.rank for hit in ranked] == [1, 2, 3, 4]
    # z of [1, 3, 2]: mean 2, standard deviation sqrt(2/3)
    assert [hit.score for hit in ranked[:3]] == pytest.approx([1 / (2 / 3) ** 0.5, 0, -1 / (2 / 3) ** 0.5])


def test_scores_of_all_questions_follow_one_another() -> None:
    lists = [hits("a", "b"), [], hits("c", "d", "e"), hits("f")]
    dense = [np.zeros(len(own)) for own in lists]
    # two of the first, none of the second, two of the third (depth 2), one of the last
    ranked = rerank(lists, np.array([1.0, 2.0, 5.0, 9.0, 0.0]), dense, depth=2, weight=1.0)
    assert [order(own) for own in ranked] == [["b", "a"], [], ["d", "c", "e"], ["f"]]


def test_the_weight_decides_between_reranker_and_cosine() -> None:
    # z(scores) = [-1, 1], z(cosines) = [1, -1]: blended [1 - 2w, 2w - 1]
    def first(weight: float) -> str:
        (ranked,) = rerank([hits("a", "b")], np.array([0.0, 10.0]), [np.array([0.8, 0.7])], 2, weight)
        return order(ranked)[0]

    assert [first(weight) for weight in (0.0, 0.4, 0.6, 1.0)] == ["a", "a", "b", "b"]
    assert first(0.5) == "a"  # equal: the order they had


def test_only_cosines_of_the_head_are_standardised() -> None:
    one, other = (
        rerank([hits("a", "b", "c")], np.array([0.0, 1.0]), [np.array([0.8, 0.7, tail])], 2, 0.3)[0]
        for tail in (0.0, 0.9)
    )
    assert one == other
