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


def characters(points: Sequence[DictConfig]) -> int:
    """About how many characters the models will read: texts to embed, pairs to rerank, prompts."""
    seen: set[str] = set()

    def is_new(cfg: DictConfig, *sections: str) -> bool:
        key = json.dumps([sections, [settings(cfg, section) for section in sections]], sort_keys=True)
        return key not in seen and not seen.add(key)  # type: ignore[func-returns-value]

    total = 0
    for cfg in points:
        chunks = stages.chunks(cfg)
        length = sum(len(chunk.ranked_text) for chunk in chunks)
        if is_new(cfg, *stages.CUT):
            total += length
        if is_new(cfg, "corpus", "embedding"):
            total += sum(len(document.text) for document in stages.corpus(cfg).documents.values())
        if stages.reranker(cfg) is not None and is_new(cfg, *stages.RANKED):
            depth = min(cfg.reranker.depth, cfg.retrieval.depth, len(chunks))
            total += len(stages.golden(cfg).questions) * depth * length // max(1, len(chunks))
        if "model" in cfg.generator and is_new(cfg, *stages.RANKED, "retrieval", "decline", "generator"):
            total += len(stages.golden(cfg).questions) * cfg.retrieval.top_k * length // max(1, len(chunks))
    return total
