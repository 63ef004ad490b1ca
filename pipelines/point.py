"""One sweep point, from its configuration to its run in MLflow."""

import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

from pipelines import ledger, names, stages
from pipelines.fingerprint import code_hash, fingerprint
from pipelines.latency import latencies
from pipelines.measuring import measure
from pipelines.progress import working
from pipelines.tracking import FINGERPRINT, Tracking

HEADLINE = ("recall_at_8", "precision_at_8", "mrr", "ndcg_at_8", "correct", "partly", "wrong", "declined", "latency_p50_ms")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a point ended: `finished`, `reused` (computed by an earlier run) or `failed` (with its error)."""

    name: str
    run_id: str
    state: str
    error: str = ""


def check(cfg: DictConfig) -> None:
    """Raise InputError for anything that could not be computed; loads no model weights."""
    stages.golden(cfg)
    stages.embedder(cfg)
    stages.reranker(cfg)
    stages.parts(cfg)


def run_point(cfg: DictConfig, tracking: Tracking) -> Outcome:
    """Compute and log one point, unless a finished run with the same fingerprint is there already."""
    name, identity = names.point(cfg), fingerprint(cfg)
    if earlier := tracking.finished(identity):
        return Outcome(name, earlier.id, "reused")
    tags = {
        FINGERPRINT: identity,
        "corpus_hash": stages.corpus(cfg).hash,
        "golden_hash": stages.golden(cfg).hash,
        "code_hash": code_hash(),
        "judge": stages.judge(cfg).name,
        "machine": f"{platform.machine()}, {platform.system()}",
    }
    with tracking.point(name, cfg.tracking.parent, tags) as run:
        run.params(names.params(cfg))
        run.config(OmegaConf.to_yaml(cfg, resolve=True))
        run.golden_set(golden_table(cfg), str(cfg.golden.path), stages.golden(cfg).hash)
        timed = latencies(cfg)
        measured = measure(cfg)
        with working("logging"):
            metrics = {**measured.metrics, **timed}
            run.metrics(metrics)
            run.questions(measured.rows)
            run.figure(measured.waterfall, "evidence_lost.png")
            run.note(measured.note)
        ledger.append(Path(cfg.tracking.ledger), ledger_line(cfg, name, run.run_id, tags, metrics))
        return Outcome(name, run.run_id, "finished")


def golden_table(cfg: DictConfig) -> Any:
    import pandas as pd

    golden = stages.golden(cfg)
    return pd.DataFrame(
        {
            "id": question.id,
            "question": question.question,
            "expected_answer": question.expected_answer,
            "category": question.category,
            "difficulty": question.difficulty,
            "groups": ", ".join(question.groups),
            "answerable": question.answerable,
        }
        for question in golden.questions
    )


def ledger_line(
    cfg: DictConfig, name: str, run_id: str, tags: dict[str, str], metrics: dict[str, float]
) -> dict[str, object]:
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "run": run_id,
        "sweep": cfg.tracking.parent or "",
        "point": name,
        **{key: tags[key][:12] for key in (FINGERPRINT, "corpus_hash", "golden_hash", "code_hash")},
        "judge": tags["judge"],
        **{key: round(metrics[key], 4) if key in metrics else "" for key in HEADLINE},
    }
