"""One sweep point, from its configuration to its run in MLflow."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from omegaconf import DictConfig, OmegaConf

from pipelines import judging, ledger, names, stages
from pipelines.fingerprint import code_hash, fingerprint
from pipelines.latency import latencies
from pipelines.measuring import measure
from pipelines.progress import at_point, working
from pipelines.traced import traced
from pipelines.tracking import FINGERPRINT, HEADLINE, VALIDATED, Run, tracking

if TYPE_CHECKING:
    import pandas as pd


def run_point(cfg: DictConfig, where: Mapping[str, str] | None = None) -> Run:
    """Compute and log one point and return its run: an earlier one, `reused`, if it finished with the same fingerprint.

    `where`: tags that say where it was computed. One that a search leaves after the first questions is KILLED, and its
    tag `pruned` says why. Raises PointError when the computation fails; its run is then FAILED and says why.
    """
    store, name, identity = tracking(cfg), names.point(cfg), fingerprint(cfg)
    with at_point(name):
        if earlier := store.finished(identity):
            store.reuse(earlier, cfg.tracking.parent)
            return replace(earlier, reused=True)
        tags = {FINGERPRINT: identity, **measured_with(cfg), **(where or {})}
        with store.point(name, cfg.tracking.parent, tags) as run:
            run.params(names.params(cfg))
            run.text(OmegaConf.to_yaml(cfg, resolve=True), "config.yaml")
            run.dataset(golden_table(cfg), str(cfg.golden.path), stages.golden(cfg).hash)
            timed = latencies(cfg)
            look = None
            if cfg.tracking.rivals:
                from pipelines.search.first_look import first_look  # its statistics take a second to import

                look = first_look(cfg, timed)
            measured = look.measured if look else measure(cfg)
            metrics = {**measured.metrics, **timed}
            with working("logging"):
                run.table(measured.rows, "questions.json")
                run.traces(traced(cfg, measured.rows))
                run.figure(measured.waterfall, "evidence_lost.svg")
                run.note(measured.note)
                run.metrics(metrics)
            if cfg.tracking.ledger:  # points on workers find their lines written by the sweep
                ledger.append(Path(cfg.tracking.ledger), ledger_line(cfg, name, run.id, tags, metrics))
            if look:
                run.prune(look.reason)
            return store.run(run.id)


def measured_with(cfg: DictConfig) -> dict[str, str]:
    """Tags that say by which documents, questions, code, judge and prompts a run came to its numbers."""
    prompts = {"prompt_hash": stages.generator(cfg), "judge_prompt_hash": judging.judge(cfg)}
    return {
        "corpus_hash": stages.corpus(cfg).hash,
        "golden_hash": stages.golden(cfg).hash,
        "code_hash": code_hash(),
        "judge": judging.judge(cfg).name,
        VALIDATED: str(tracking(cfg).validated(judging.judge(cfg).name)).lower(),
        **{tag: part.prompt_hash for tag, part in prompts.items() if part.prompt_hash},
    }


def check_ledger(cfg: DictConfig) -> None:
    """Raises InputError if the point's line would find no place in the ledger."""
    ledger.check(Path(cfg.tracking.ledger), ledger_line(cfg, "", "", defaultdict(str), {}))


def golden_table(cfg: DictConfig) -> "pd.DataFrame":
    import pandas as pd

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
        for question in stages.golden(cfg).questions
    )


def ledger_line(
    cfg: DictConfig, name: str, run_id: str, tags: Mapping[str, str], metrics: dict[str, float]
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
