import numpy as np
import pytest

from rag.reranking import blend


def test_both_lists_are_standardised_by_the_population() -> None:
    # mean 2, population variance (1 + 0 + 1) / 3, so z = (-1, 0, 1) / sqrt(2 / 3); the second list is its reverse.
    one = 1 / (2 / 3) ** 0.5
    blended = blend(np.array([1.0, 2.0, 3.0]), np.array([0.9, 0.8, 0.7]), 0.3)
    assert blended == pytest.approx([-0.3 * one + 0.7 * one, 0, 0.3 * one - 0.7 * one])


def test_a_constant_list_has_no_say() -> None:
    dense = np.array([0.7, 0.8])
    assert blend(np.array([5.1, 5.1]), dense, 0.3) == pytest.approx([-0.7, 0.7])
    assert blend(np.full(3, 0.1, np.float32), np.full(3, 0.8, np.float32), 0.3).tolist() == [0, 0, 0]
    assert blend(np.empty(0), np.empty(0), 0.3).shape == (0,)


def test_the_weight_chooses_the_judge() -> None:
    rerank, dense = np.array([1.0, 3.0]), np.array([0.9, 0.2])
    assert blend(rerank, dense, 1.0) == pytest.approx([-1, 1])
    assert blend(rerank, dense, 0.0) == pytest.approx([1, -1])
