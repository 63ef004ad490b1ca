"""Shares of correct answers by category."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.comparison.results import Scores
from evaluation.decisions.comparisons import Comparison, compare_shares
from evaluation.decisions.holm import holm
from evaluation.decisions.intervals import Interval, share_interval


@dataclass(frozen=True, slots=True)
class Category:
    """`shares` and `intervals`: of every run; `versus`: one run against the baseline, `p_holm` over the categories."""

    name: str
    n: int
    shares: NDArray[np.float64]
    intervals: tuple[Interval, ...]
    versus: Comparison
    p_holm: float


def by_category(scores: Scores, run: int, baseline: int) -> list[Category]:
    """The categories in alphabetical order; `run` and `baseline` are rows."""
    correct, names = scores.measures["correct"] == 1, np.asarray(scores.categories)
    found = sorted(set(scores.categories))
    parts = [correct[:, names == name] for name in found]
    compared = [compare_shares(part[[run]], part[baseline])[0] for part in parts]
    corrected = holm([versus.p_value for versus in compared])
    return [
        Category(
            name or "(none)",
            part.shape[1],
            part.mean(axis=1),
            tuple(share_interval(int(row.sum()), len(row)) for row in part),
            versus,
            float(p),
        )
        for name, part, versus, p in zip(found, parts, compared, corrected, strict=True)
    ]
