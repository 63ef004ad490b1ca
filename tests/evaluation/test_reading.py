import pytest

from evaluation.reading import reading


@pytest.mark.parametrize(
    ("recall", "precision", "mrr", "correct", "advice"),
    [
        (0.89, 0.05, 0.3, 0.2, "chunking first"),  # the earliest stage first, whatever else is bad
        (0.90, 0.09, 0.3, 0.2, "reranker, or lower top_k"),
        (0.90, 0.10, 0.49, 0.2, "ranking"),
        (0.90, 0.10, 0.50, 0.79, "generation"),
        (0.90, 0.10, 0.50, 0.80, "nothing in the means stands out"),
    ],
)
def test_the_pattern_of_the_means(recall: float, precision: float, mrr: float, correct: float, advice: str) -> None:
    assert advice in reading(recall=recall, precision=precision, mrr=mrr, correct=correct)
