"""95 % intervals: Wilson for shares, bootstrap for means and differences."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

RESAMPLES = 1999


class Interval(NamedTuple):
    low: float
    high: float


def share_interval(successes: int, n: int) -> Interval:
    """The interval of a share of n questions (Wilson, JASA 22, 1927)."""
    bounds = stats.binomtest(successes, n).proportion_ci(method="wilson")
    return Interval(float(bounds.low), float(bounds.high))


def mean_interval(values: NDArray[np.float64]) -> Interval:
    """The interval of a mean of values from [0, 1], (n,) (BCa bootstrap; Efron, JASA 82, 1987).

    All 0 or all 1 leaves nothing to resample: then Wilson's interval, as a share varies most of all such values.
    """
    if values.min() == values.max() and values[0] in (0, 1):
        return share_interval(int(values.sum()), len(values))
    return difference_interval(values)


def difference_interval(differences: NDArray[np.float64]) -> Interval:
    """The interval of a mean of differences by question, (n,); no width when all are equal."""
    if differences.min() == differences.max():
        return Interval(float(differences[0]), float(differences[0]))
    found = stats.bootstrap(
        (differences,), np.mean, n_resamples=RESAMPLES, method="BCa", rng=np.random.default_rng(0)
    ).confidence_interval
    return Interval(float(found.low), float(found.high))
