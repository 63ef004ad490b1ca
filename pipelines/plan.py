"""What a list of points needs, looked at before anything expensive starts."""

import json
from collections.abc import Sequence

from omegaconf import DictConfig

from pipelines import stages
from pipelines.memo import settings


def prepare(points: Sequence[DictConfig]) -> None:
    """Load documents and questions and make every part. Raises InputError for what could not be computed."""
    for cfg in points:
        stages.check_parts(cfg)
        stages.golden(cfg)


def texts(points: Sequence[DictConfig]) -> int:
    """About how many texts the models read: passages to embed, and pairs of question and passage to rerank."""
    seen: set[str] = set()

    def is_new(cfg: DictConfig, *sections: str) -> bool:
        key = json.dumps([sections, [settings(cfg, section) for section in sections]], sort_keys=True)
        return key not in seen and not seen.add(key)  # type: ignore[func-returns-value]

    total = 0
    for cfg in points:
        if is_new(cfg, *stages.CUT):
            total += len(stages.chunks(cfg))
        if stages.reranker(cfg) is not None and is_new(cfg, *stages.RANKED):
            total += len(stages.golden(cfg).questions) * min(cfg.reranker.depth, cfg.retrieval.depth)
    return total
