"""Between which values those numbers lie that no part checks for itself."""

from math import inf

from omegaconf import DictConfig, OmegaConf

from rag.errors import InputError

LENGTH = (1, inf)
RANGES = {
    "retrieval.depth": (1, 1_000_000),
    "retrieval.rrf_k": (1, 1_000_000),
    "reranker.depth": (1, 1_000_000),
    "measures.latency_questions": (1, inf),
    "measures.questions_per_month": (0, inf),
    "threshold.max_wrong_rate": (0, 1),
    "review.answers": (1, inf),
    "review.kappa": (-1, 1),
    "generator.parameters.temperature": (0, inf),
    "generator.parameters.max_tokens": LENGTH,
    "generator.parameters.max_completion_tokens": LENGTH,
    "judge.parameters.temperature": (0, inf),
    "judge.parameters.max_tokens": LENGTH,
    "judge.parameters.max_completion_tokens": LENGTH,
}
"""Lowest and highest value by key, where a configuration has that key."""


def check_ranges(cfg: DictConfig) -> None:
    """Raises InputError for a number that lies outside."""
    for key, (low, high) in RANGES.items():
        value = OmegaConf.select(cfg, key)
        if isinstance(value, int | float) and not low <= value <= high:
            raise InputError(f"{key}={value}: must be {low} {'or more' if high == inf else f'to {high}'}")
