"""The thresholds of a gate: what is asked for, and what a measured point has to say to it."""

import difflib
import re
from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np
from omegaconf import DictConfig, OmegaConf

from evaluation.decisions.findings import Finding
from evaluation.decisions.intervals import Interval, mean_interval, share_interval
from evaluation.decisions.thresholds import Threshold, kept, missing
from evaluation.judging.ragas import INPUTS
from pipelines.gate_baseline import Row
from pipelines.tracking import Run
from rag.errors import InputError

KEYS = {"run", "baseline", "accept", "junit", "summary", "thresholds"}
COLUMN = {"recall_at_top_k": "recall", "mrr": "reciprocal_rank", **{name: name for name in INPUTS}}
"""Measures that `questions.json` holds question by question, and its columns."""
_LABELS = re.compile("correct|partly|wrong|declined")
_RETRIEVAL = re.compile(r"(recall|precision|hit_rate|ndcg)_at_(\d+|top_k)|map|mrr")
_CUT = re.compile(r"(recall|precision|hit_rate|ndcg)_at_(\d+)(\..+)?")


def thresholds(cfg: DictConfig) -> list[Threshold]:
    """The limits of `gate.thresholds`. Raises InputError for one that cannot be read or can have no value."""
    if odd := sorted(set(cfg.gate) - KEYS):
        raise InputError(f"gate.{odd[0]}: no such key in a file of conf/gate; valid: {', '.join(sorted(KEYS))}")
    found = []
    given: Any = OmegaConf.to_container(cfg.gate.thresholds, resolve=True)
    for metric, limits in given.items():
        if not isinstance(limits, dict) or not limits or limits.keys() - {"min", "max"}:
            raise InputError(f"gate.thresholds.{metric}: write min or max, as in {metric}: {{ min: 0.8 }}")
        for side, value in limits.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < inf:
                raise InputError(f"gate.thresholds.{metric}.{side}={value}: must be a number of 0 or more")
            found.append(Threshold(str(metric), float(value), lowest=side == "min"))
        if (cut := _CUT.fullmatch(str(metric))) and int(cut[2]) not in (*cfg.measures.ks, cfg.retrieval.top_k):
            ks = ",".join(map(str, [*cfg.measures.ks, cut[2]]))
            raise InputError(f"gate.thresholds.{metric}: not measured at {cut[2]}; add it, as in measures.ks=[{ks}]")
    return found


def held(threshold: Threshold, cfg: DictConfig, run: Run, rows: Sequence[Row]) -> Finding:
    """A metric of the run against its limit. Without a value it fails, unless the judge was not asked for it."""
    metric = threshold.metric
    if metric in run.metrics:
        return kept(threshold, run.metrics[metric], interval(metric, run, rows))
    if how := _unasked(metric.partition(".")[0], cfg):
        return missing(threshold, f"{how} measures it", excused=True)
    near = difflib.get_close_matches(metric, run.metrics, n=1)
    return missing(threshold, "the run has no such metric" + (f"; did you mean {near[0]}?" if near else ""), False)


def interval(metric: str, run: Run, rows: Sequence[Row]) -> Interval | None:
    """95 %: of the questions' values where the rows hold them, else Wilson's, which is the widest that these can need.

    None for what is no mean over questions, such as a latency.
    """
    if metric == f"recall_at_{run.params['retrieval.top_k']}":
        metric = "recall_at_top_k"
    if metric in COLUMN:
        return mean_interval(np.array([row[COLUMN[metric]] for row in rows if row[COLUMN[metric]] is not None], float))
    name, dot, part = metric.partition(".")
    n_name = "n_labels" if _LABELS.fullmatch(name) else "n_retrieval" if _RETRIEVAL.fullmatch(name) else ""
    n = run.metrics.get(f"{n_name}{dot}{part}")
    return share_interval(round(run.metrics[metric] * n), int(n)) if n else None


def _unasked(metric: str, cfg: DictConfig) -> str:
    """What would measure a metric that the judge was not asked for; "" if it was, or if no judge gives it."""
    if metric in INPUTS and metric not in cfg.judge.get("metrics", []):
        return "judge=ragas"
    if metric == "passage_relevance" and not cfg.judge.get("context_questions"):
        return "judge=llm judge.context_questions=20"
    return ""
