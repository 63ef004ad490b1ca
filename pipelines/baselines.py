"""What a sweep starts from: plain retrieval, which every other point should be worth more than."""

from collections.abc import Sequence
from typing import Any

from omegaconf import DictConfig, OmegaConf

from pipelines.config import CONF
from pipelines.fingerprint import fingerprint, relevant
from pipelines.tracking import BASELINE, BESIDE
from rag.errors import InputError


def baselines(grid: Sequence[DictConfig]) -> list[DictConfig]:
    """The retrievals that `baselines` names, at the first value of every other axis and without a reranker.

    Where the grid holds such a point, it is that one. Raises InputError for a name that is no choice of `retrieval`.
    """
    first = grid[0]
    names = list(dict.fromkeys(first.baselines))
    choices = sorted(file.stem for file in (CONF / "retrieval").glob("*.yaml"))
    if odd := [name for name in names if name not in choices]:
        raise InputError(
            f"baselines: {odd[0]!r} is none of {', '.join(choices)}; write baselines=[bm25], or [] for none"
        )
    if any(cfg.baselines != first.baselines for cfg in grid):
        raise InputError("baselines is one list for the whole sweep, as in baselines=[bm25,dense]")
    settings = [relevant(cfg) for cfg in grid]
    plain = [_plain(first, name) for name in names]
    return [next((own for own, its in zip(grid, settings, strict=True) if its == relevant(cfg)), cfg) for cfg in plain]


def tags(plain: Sequence[DictConfig], beside: Sequence[DictConfig]) -> dict[str, str]:
    """What the sweep's run says about its baselines, by their fingerprints. `beside`: those not in the grid."""
    said = {BASELINE: [fingerprint(cfg) for cfg in plain[:1]], BESIDE: [fingerprint(cfg) for cfg in beside]}
    return {tag: " ".join(own) for tag, own in said.items() if own}


def _plain(first: DictConfig, retrieval: str) -> DictConfig:
    cfg = first.copy()
    OmegaConf.set_readonly(cfg, False)
    chosen: Any = OmegaConf.load(CONF / "retrieval" / f"{retrieval}.yaml")
    for weight in ("dense_weight", "bm25_weight"):  # depth and top_k are those of the first point
        cfg.retrieval[weight] = chosen[weight]
    cfg.reranker = OmegaConf.load(CONF / "reranker" / "none.yaml")
    OmegaConf.set_readonly(cfg, True)
    return cfg
