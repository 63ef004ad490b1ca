"""What approximate search loses before anything else does."""

from collections.abc import Sequence

import numpy as np
from omegaconf import DictConfig

from pipelines import stages
from rag.records import Hit


def index_recall(cfg: DictConfig) -> dict[str, float]:
    """`index_recall`: what the dense list has of the exact one, a mean over the questions. Exact search: nothing."""
    if stages.location(cfg).exact or not cfg.retrieval.dense_weight:
        return {}
    groups = [question.groups for question in stages.golden(cfg).questions]
    exact = stages.index(cfg).search(stages.question_vectors(cfg), groups, cfg.retrieval.depth, exact=True)
    found = [own.dense for own in stages.candidates(cfg)]
    return {"index_recall": float(np.mean([recall(*pair) for pair in zip(found, exact, strict=True) if pair[1]]))}


def recall(found: Sequence[Hit], exact: Sequence[Hit]) -> float:
    """Share of the exact list's length that reaches its last score, so that which of equals was found does not matter.

    The definition of ann-benchmarks (Aumueller, Bernhardsson, Faithfull 2018, section 2.3).
    """
    return sum(hit.score >= exact[-1].score - 1e-6 for hit in found) / len(exact)
