"""Short, stable names for parts, points and parameters."""

from pathlib import Path
from typing import Any

from omegaconf import DictConfig

from pipelines.memo import settings


def part(cfg: DictConfig, section: str) -> str:
    """What fills a section: the model, the file or folder, else the class."""
    values = cfg[section]
    if section == "retrieval":
        return "hybrid" if values.dense_weight and values.bm25_weight else "dense" if values.dense_weight else "bm25"
    if "model" in values:
        return Path(values.model).name
    if "path" in values:
        return Path(values.path).name
    return str(values._target_).rpartition(".")[2].lower()


def point(cfg: DictConfig) -> str:
    """For example `structure-256/32 · e5-small · hybrid · top 8 · reranker-de`, then the language model, if any."""
    chunking = f"{part(cfg, 'chunking')}-{cfg.chunking.size}/{cfg.chunking.overlap}"
    reranker = "no reranker" if part(cfg, "reranker") == "none" else part(cfg, "reranker")
    parts = (chunking, part(cfg, "embedding"), part(cfg, "retrieval"), f"top {cfg.retrieval.top_k}", reranker)
    return " · ".join(parts if "model" not in cfg.generator else (*parts, part(cfg, "generator")))


def params(cfg: DictConfig) -> dict[str, Any]:
    """Every parameter under its dotted key; a section's own name holds what fills it."""
    found: dict[str, Any] = {}
    for section in map(str, cfg):
        if section in ("tracking", "review", "threshold", "promote", "gate", "baselines", "dry_run"):
            continue
        values = settings(cfg, section)
        if "_target_" in cfg[section]:
            found[section] = part(cfg, section)
        found.update(_leaves(section, values or {}))
    return found


def _leaves(prefix: str, values: dict[str, Any]) -> dict[str, Any]:
    leaves: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            leaves.update(_leaves(f"{prefix}.{key}", value))
        elif key != "_target_":
            leaves[f"{prefix}.{key}"] = value
    return leaves
