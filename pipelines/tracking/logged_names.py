"""Names in the store: what one sorts and filters by stands first, the rest below prefixes, which the UI folds.

Everywhere else metrics and params have their plain names: `recall_at_5` is `detail/recall_at_5` in the store,
`recall_at_8.fristen` is `detail/parts/recall_at_8.fristen`.
"""

from collections.abc import Mapping
from typing import TypeVar

Value = TypeVar("Value")

HEADLINE = (
    "recall_at_8",
    "precision_at_8",
    "mrr",
    "ndcg_at_8",
    "correct",
    "partly",
    "wrong",
    "declined",
    "coverage",
    "latency_p50_ms",
)
JUDGE = ("judge_kappa", "judge_noise")  # logged when people have checked the judge, or its noise was measured
PARAMS = (
    "corpus",
    "golden",
    "chunking",
    "chunking.size",
    "chunking.overlap",
    "embedding",
    "retrieval",
    "retrieval.top_k",
    "reranker",
    "generator",
    "judge",
)
CAUSES = ("failures", "cause", "evidence_left")  # before a dot; anything else there is of a part of the golden set
PREFIXES = ("detail/causes/", "detail/parts/", "detail/")


def metric(name: str) -> str:
    if name in HEADLINE or name in JUDGE:
        return name
    head, dot, _ = name.partition(".")
    causes, parts, detail = PREFIXES
    return f"{causes if head in CAUSES else parts if dot else detail}{name}"


def param(name: str) -> str:
    return name if name in PARAMS else f"detail/{name}"


def plain(logged: Mapping[str, Value]) -> dict[str, Value]:
    """The values by their plain names. A run of a release that knew no prefixes has them already."""
    return {_plain(name): value for name, value in logged.items()}


def _plain(name: str) -> str:
    prefix = next((own for own in PREFIXES if name.startswith(own)), "")
    return name.removeprefix(prefix)
