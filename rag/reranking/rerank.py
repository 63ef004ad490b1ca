"""Candidates in a new order."""

from collections.abc import Sequence

import numpy as np

from rag.records import Hit
from rag.reranking.blend import blend


def rerank(
    candidates: Sequence[Sequence[Hit]], scores: np.ndarray, dense: Sequence[np.ndarray], depth: int, weight: float
) -> list[list[Hit]]:
    """Each question's best `depth` candidates by blended score; the others follow in the order they had.

    `scores`: the reranker's for those candidates, all questions one after another. `dense`: at least their cosines.
    """
    ranked, start = [], 0
    for hits, cosines in zip(candidates, dense, strict=True):
        head = hits[:depth]
        blended = blend(scores[start : start + len(head)], cosines[: len(head)], weight)
        start += len(head)
        order = np.argsort(-blended, kind="stable")
        reordered = [Hit(head[i].chunk, rank, float(blended[i])) for rank, i in enumerate(order, start=1)]
        ranked.append([*reordered, *hits[depth:]])
    return ranked
