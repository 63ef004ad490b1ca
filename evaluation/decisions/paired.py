"""Tests of two runs on the same questions."""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from evaluation.decisions.signs import FLIPS, exceeded, signs

MANY_FLIPS = 19_999  # p-values down to 1 / 20,000, which Holm's correction over 500 runs still lets through


def mcnemar(better: int, worse: int) -> float:
    """Exact two-sided p-value of the questions that only one run gets right (McNemar, Psychometrika 12, 1947)."""
    return float(stats.binomtest(better, better + worse).pvalue) if better + worse else 1.0


def randomisation(differences: NDArray[np.float64]) -> float:
    """Two-sided p-value of a mean of differences by question, (n,) (Fisher's randomisation test with random signs)."""
    row = differences.astype(np.float32)
    return float(exceeded(np.abs(signs(len(row), MANY_FLIPS) @ row), np.abs(row.sum())))


def worse(differences: NDArray[np.float64]) -> float:
    """One-sided p-value for a mean below zero. Of differences -1, 0 and 1 this is McNemar's one-sided test."""
    row = differences.astype(np.float32)
    return float(exceeded(signs(len(row), FLIPS) @ row, -row.sum()))
