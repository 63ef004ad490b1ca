"""Joins the reranker's opinion with the retriever's."""

from math import sqrt

import numpy as np


def blend(rerank_scores: np.ndarray, dense_scores: np.ndarray, weight: float) -> np.ndarray:
    """weight * z(rerank) + (1 - weight) * z(dense), for the candidates of one question.

    z standardises with the population's standard deviation, since logits and cosines have scales of their own; a
    constant list becomes zeros. Both arrays: (candidates,).
    """
    return weight * _standardised(rerank_scores) + (1 - weight) * _standardised(dense_scores)


def _standardised(scores: np.ndarray) -> np.ndarray:
    scores = np.asarray(scores, np.float64)
    if scores.size == 0 or scores.max() == scores.min():
        return np.zeros_like(scores)
    centred = scores - scores.sum() / scores.size
    return centred / sqrt(centred @ centred / scores.size)  # numpy's own std takes longer than all the rest
