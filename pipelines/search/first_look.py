"""A point of a search is asked the first questions, and left if these already exclude it from the front."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from omegaconf import DictConfig

from evaluation.decisions.pruning import excluded
from pipelines import stages
from pipelines.measuring import Measured, measure
from pipelines.promotion import by_question
from pipelines.tracking import PastPoint, tracking
from pipelines.tracking.point import DIGITS


@dataclass(frozen=True, slots=True)
class Look:
    """What was measured on the first questions; `coverage` is the share of all questions that these are."""

    measured: Measured
    reason: str


def first_look(cfg: DictConfig, timed: Mapping[str, float]) -> Look | None:
    """The first look at a point that its rivals (`tracking.rivals`) exclude; None where it must be asked everything.

    `timed`: its latencies, which need few questions. A rival that is slower excludes nothing, however good. What the
    look computes stays in the caches, so a point that goes on pays for no question twice.
    """
    rivals = cfg.tracking.rivals
    everything, first, quality = len(stages.golden(cfg).questions), rivals.first, rivals.quality
    latency = round(timed[rivals.latency], DIGITS)
    runs = [run for run in map(tracking(cfg).run, rivals.runs) if run.metrics[rivals.latency] <= latency]
    if not runs or first >= everything:
        return None
    measured = measure(stages.first_questions(cfg, first))
    if measured.metrics["n_failed"]:
        return None
    own = by_question(measured.rows, quality)
    theirs = [by_question(PastPoint(run.id, cfg.tracking.uri).questions(), quality) for run in runs]
    if not own:
        return None
    found = excluded(np.array([[one[id] for id in own] for one in theirs]), np.array(list(own.values())))
    if found is None:
        return None
    leader = runs[found.leader]
    mean = float(np.mean(list(own.values())))
    reason = (
        f"left after {first} of {everything} questions: {quality} {mean:.3f} is {found.difference:.3f} ±"
        f" {found.margin:.3f} below {mean + found.difference:.3f} of run {leader.id}, which is no slower"
        f" ({leader.metrics[rivals.latency]:.1f} against {latency:.1f} ms)"
    )
    metrics = {**measured.metrics, "coverage": first / everything}
    return Look(replace(measured, metrics=metrics, note=f"**Pruned**: {reason}.\n\n{measured.note}"), reason)
