"""What has become worse since a baseline, on the questions that both runs were asked."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evaluation.decisions.findings import Finding, Verdict
from evaluation.decisions.flip_list import Answered, Flip, flip_list
from evaluation.decisions.regression import GROUP, LIMIT, category_regressions, regression
from evaluation.judging.ragas import INPUTS
from pipelines.gate_baseline import NONE, Baseline, Common, Row
from pipelines.gate_thresholds import COLUMN
from pipelines.tracking import Run

Noise = Callable[[str], float | None]  # of the judge's labels ("judge"), or of a score of RAGAS; None: not measured
ANEW = "start anew with gate.baseline=none"


def regressions(base: Baseline | None, named: str, run: Run, shared: Common, noise: Noise) -> list[Finding]:
    """Labels, scores and retrieval. What cannot be compared fails and says how to go on; no baseline does not fail."""
    if base is None:
        why = f"gate.baseline={NONE}" if named == NONE else "no accepted gate run and no champion in this store yet"
        return [_without("everything", "not measured", f"{why}: compared with nothing")]
    if not shared.after:
        return [_without("everything", "failed", f"no question in common with {base.said}; {ANEW}")]
    by, earlier = run.tags["judge"], base.run.tags["judge"]
    if by == earlier:
        found = _labels(shared, noise("judge"))
        found += [own for name in INPUTS for own in _scores(name, shared, noise(name))]
    else:
        found = [_without("labels", "failed", f"not comparable: judged by {by}, before by {earlier}; {ANEW}")]
    return found + [own for name in ("recall_at_top_k", "mrr") for own in _scores(name, shared, 0.0)]


def lost(base: Baseline | None, run: Run, shared: Common) -> list[Flip]:
    """The questions with a worse label than before, where the judge is the same."""
    if base is None or base.run.tags["judge"] != run.tags["judge"]:
        return []
    pairs = _labelled(shared)
    flips = flip_list([_answered(one) for one, _ in pairs], [_answered(other) for _, other in pairs])
    return [flip for flip in flips if flip.direction == "worse"]


def _labels(shared: Common, noise: float | None) -> list[Finding]:
    pairs = _labelled(shared)
    if not pairs:
        return [_without("labels", "failed", "no question has a label in both runs")]

    def shares(label: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        before, after = np.array([[row["label"] == label for row in pair] for pair in pairs], float).T
        return before, after

    categories = [str(after["category"]) for _, after in pairs]
    return [
        regression("correct", *shares("correct"), noise),
        regression("wrong", *shares("wrong"), noise, higher_is_better=False),
        *category_regressions(*shares("correct"), categories, noise),
    ]


def _scores(name: str, shared: Common, noise: float | None) -> list[Finding]:
    """One finding, or none where no question has the score in both runs."""
    values = [[row.get(COLUMN[name]) for row in pair] for pair in zip(shared.before, shared.after, strict=True)]
    both = [pair for pair in values if None not in pair]
    if not both:
        return []
    before, after = np.array(both, float).T
    return [regression(name, before, after, noise)]


def _labelled(shared: Common) -> list[tuple[Row, Row]]:
    pairs = zip(shared.before, shared.after, strict=True)
    return [(before, after) for before, after in pairs if before["label"] and after["label"]]


def _answered(row: Row) -> Answered:
    return Answered(*(row[column] for column in ("id", "question", "category", "label", "cause", "answer")))


def _without(name: str, verdict: Verdict, reason: str) -> Finding:
    return Finding(GROUP, name, None, None, LIMIT, verdict, reason)
