"""Runs against a baseline on the same questions, with intervals and corrected p-values."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.decisions.holm import holm
from evaluation.decisions.intervals import Interval, difference_interval
from evaluation.decisions.paired import mcnemar, randomisation


@dataclass(frozen=True, slots=True)
class Comparison:
    """A run against the baseline. `better`, `worse`: questions; `p_holm`: corrected for the number of runs compared."""

    difference: float
    interval: Interval
    better: int
    worse: int
    p_value: float
    p_holm: float


def compare_shares(outcomes: NDArray[np.bool_], baseline: NDArray[np.bool_]) -> list[Comparison]:
    """Rows of yes or no by question (m, n) against `baseline` (n,): exact McNemar, Holm-corrected."""
    differences = outcomes.astype(float) - baseline
    p_values = [mcnemar(int((row > 0).sum()), int((row < 0).sum())) for row in differences]
    return _comparisons(differences, p_values)


def compare_means(scores: NDArray[np.float64], baseline: NDArray[np.float64]) -> list[Comparison]:
    """Rows of scores by question (m, n) against `baseline` (n,): paired randomisation test, Holm-corrected."""
    differences = scores - baseline
    return _comparisons(differences, [randomisation(row) for row in differences])


def _comparisons(differences: NDArray[np.float64], p_values: list[float]) -> list[Comparison]:
    return [
        Comparison(
            float(row.mean()), difference_interval(row), int((row > 0).sum()), int((row < 0).sum()), p, float(adjusted)
        )
        for row, p, adjusted in zip(differences, p_values, holm(p_values), strict=True)
    ]
