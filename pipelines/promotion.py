"""From measured runs to the gate's decision: which of them is judged, against what, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.decisions.gate import Check, Conditions, Decision, Outcomes, decide, decide_first
from evaluation.decisions.intervals import Interval, mean_interval, share_interval
from pipelines.tracking import Run
from rag.errors import InputError

Rows = Sequence[Mapping[str, Any]]
COLUMN = {"correct": "label", "recall_at_top_k": "recall", "mrr": "reciprocal_rank"}
"""What may be promoted by, and the column of `questions.json` that holds it."""
LABELS = ("correct", "wrong", "declined")


@dataclass(frozen=True, slots=True)
class Measured:
    """A run with its rows of `questions.json`, in the order of the questions' ids."""

    run: Run
    rows: Rows


def values(rows: Rows, objective: str) -> np.ndarray:
    """The objective of those questions that have it, (q,). Raises InputError for an objective that is none."""
    if objective not in COLUMN:
        raise InputError(f"promote.objective={objective}: must be one of {', '.join(COLUMN)}")
    return np.array(list(by_question(rows, objective).values()), float)


def by_question(rows: Rows, objective: str) -> dict[str, float]:
    """The objective of those questions that have it, by question id."""
    return {row["id"]: _value(row, objective) for row in _with(rows, objective)}


def judge(
    candidates: Sequence[Measured],
    champion: Measured | None,
    objective: str,
    validated: bool,
    noise: float | None,
    chosen: int | None = None,
    others: Sequence[Measured] = (),
) -> Decision:
    """Judge the best candidate, or the chosen one. `champion` None: there is none yet.

    All runs have the same questions. `others`: runs that could have been named instead, for which the test is corrected
    as for the candidates.
    """
    outcomes = [_outcomes(own.rows, objective) for own in candidates]
    if not outcomes[0].objective.size:
        raise InputError(f"promote.objective={objective}: no question has it; name another one")
    best = int(np.argmax([own.objective.mean() for own in outcomes])) if chosen is None else chosen
    run, rows = candidates[best].run, candidates[best].rows
    conditions = Conditions(
        measured=sum(not row["error"] and row["label"] is not None for row in rows),
        questions=len(rows),
        judge=run.tags["judge"],
        champion_judge=(champion or candidates[best]).run.tags["judge"],
        judge_validated=validated,
        judge_noise=noise,
    )
    if champion is None:
        return decide_first(conditions, best)
    categories = [row["category"] for row in _with(rows, objective)]
    outcomes += [_outcomes(own.rows, objective) for own in others]
    return decide(_outcomes(champion.rows, objective), outcomes, categories, conditions, best)


def incomparable(decision: Decision, reason: str) -> Decision:
    """The same without a champion that was measured alike."""
    return Decision(decision.chosen, (Check("comparable", False, reason), *decision.checks))


def same_setup(run: Run, other: Run) -> bool:
    """Whether two runs differ in nothing but what they were measured with: questions, documents, judge."""
    return _setup(run) == _setup(other)


def headline(rows: Rows) -> dict[str, str]:
    """The metrics that a version's tags show, each with its 95 % interval, as in `0.387 (0.325 to 0.452)`."""
    judged = [row["label"] for row in rows if row["label"]]
    shown = {label: _shown(judged.count(label) / len(judged), share_interval(judged.count(label), len(judged)))
             for label in LABELS if judged}  # fmt: skip
    for objective in ("recall_at_top_k", "mrr"):
        own = values(rows, objective)
        if own.size:
            shown[objective] = _shown(own.mean(), mean_interval(own))
    return shown


def _with(rows: Rows, objective: str) -> list[Mapping[str, Any]]:
    """Every question has a label or has failed, which is no success; only those with evidence have the others."""
    return [row for row in rows if objective == "correct" or row[COLUMN[objective]] is not None]


def _value(row: Mapping[str, Any], objective: str) -> float:
    return float(row["label"] == "correct" if objective == "correct" else row[COLUMN[objective]])


def _outcomes(rows: Rows, objective: str) -> Outcomes:
    return Outcomes(values(rows, objective), np.array([row["label"] == "wrong" for row in rows]))


def _setup(run: Run) -> dict[str, str]:
    apart = ("golden", "corpus", "judge", "measures", "index", "overrides", "corpus_path")
    return {key: value for key, value in run.params.items() if key.partition(".")[0] not in apart}


def _shown(value: float, interval: Interval) -> str:
    return f"{value:.3f} ({interval.low:.3f} to {interval.high:.3f})"
