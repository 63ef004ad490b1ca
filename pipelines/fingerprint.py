"""What makes two runs the same run."""

import hashlib
import json
from functools import cache
from typing import Any

from omegaconf import DictConfig

from pipelines import judging, stages
from pipelines.config import ROOT
from pipelines.memo import settings

_HOW = ("api_key_env", "timeout", "retries", "concurrency")
IRRELEVANT = frozenset(
    {"index.folder", "tracking", "review", "threshold", "promote", "gate", "baselines", "dry_run"}
    | {"corpus.path", "golden.path", "embedding.engine"}
    | {f"{section}.{key}" for section in ("generator", "judge") for key in _HOW}
)
"""Keys that change no number: where things lie and results go (what lies at a path counts by its content hash), and how
patiently an endpoint is asked."""


def fingerprint(cfg: DictConfig) -> str:
    """Hash of the settings, of corpus and golden set, of weights, of the judge with its prompts, and of the code."""
    reranker = stages.reranker(cfg)
    parts = {
        "settings": relevant(cfg),
        "corpus": stages.corpus(cfg).hash,
        "golden": stages.golden(cfg).hash,
        "embedding": stages.embedder(cfg).revision,
        "reranker": reranker and reranker.revision,
        "judge": judging.judge(cfg).name,
        "code": code_hash(),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def relevant(cfg: DictConfig) -> dict[str, Any]:
    """The settings by section without the irrelevant keys and without those of parts that are switched off."""
    found: dict[str, Any] = {}
    for section in cfg:
        exact = section == "index" and cfg.index.get("exact", True)  # exact search is the same everywhere
        if section in IRRELEVANT or exact:
            continue
        values = settings(cfg, str(section))
        if isinstance(values, dict):
            values = {key: value for key, value in values.items() if f"{section!s}.{key}" not in IRRELEVANT}
        found[str(section)] = values
    return found


@cache
def code_hash(*packages: str) -> str:
    """Hash of the source of `rag` and `evaluation`, prompts included: numbers from other code are not reused.

    `packages`: those instead.
    """
    digest = hashlib.sha256()
    for package in packages or ("rag", "evaluation"):
        for file in sorted(file for kind in ("*.py", "*.txt", "*.yaml") for file in (ROOT / package).rglob(kind)):
            digest.update(file.relative_to(ROOT).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()
