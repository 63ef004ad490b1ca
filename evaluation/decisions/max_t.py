"""One test of many runs against one: is the best really better, given that it was chosen for being the best?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.decisions.signs import FLIPS, SAME, exceeded, signs

LEVEL = 0.04
"""Signs are exact for outcomes that are symmetric in all runs together, and nearly so otherwise: 4 % keeps 5 %."""


@dataclass(frozen=True, slots=True)
class MaxT:
    """Runs against a baseline, all (m,). A difference is significant exactly if it is larger than its margin.

    `differences`: means over the questions. `p_values`: one-sided, corrected for the number of runs.
    """

    differences: NDArray[np.float64]
    margins: NDArray[np.float64]
    p_values: NDArray[np.float64]


def max_t(scores: NDArray[np.float64], baseline: NDArray[np.float64]) -> MaxT:
    """Test all rows of `scores` (m, n) against `baseline` (n,) at once (Westfall and Young, 1993, single step).

    Every flip exchanges the outcomes of the same questions in all runs, so that runs which answer alike count as what
    they are: nearly one run. The largest statistic of each flip makes the distribution; the statistic is the sum of a
    run's differences over the root of the sum of their squares, for outcomes of 0 and 1 McNemar's z.
    """
    differences = (scores - baseline).astype(np.float32)
    return _tested(differences, signs(differences.shape[1], FLIPS) @ differences.T)


def tied_set(scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The runs that the data cannot tell from the best, (m,): those that no run of `scores` (m, n) significantly beats.

    Every run is the baseline of a max-T test of all others, without further correction: the truly best run fails only
    its own test, so the set contains it with 95 % (Hsu, Annals of Statistics 9, 1981).
    """
    rows = scores.astype(np.float32)
    flipped = signs(rows.shape[1], FLIPS) @ rows.T  # the flipped difference of two runs is that of their flipped sums
    tests = (_tested(rows - rows[i], flipped - flipped[:, [i]]) for i in range(len(rows)))
    return np.array([test.p_values.min() > LEVEL for test in tests])


def _tested(differences: NDArray[np.float32], flipped: NDArray[np.float32]) -> MaxT:
    """`flipped`: the sums of the differences (m, n) with random signs, (flips, m)."""
    scale = np.sqrt((differences**2).sum(axis=1))
    scale[scale == 0] = 1  # the same outcomes on every question
    largest = (flipped / scale).max(axis=1)
    significant = int(LEVEL * (1 + FLIPS))  # the observed one among them
    critical = np.partition(largest, -significant)[-significant] + SAME
    return MaxT(
        differences.mean(axis=1, dtype=float),
        (critical * scale / differences.shape[1]).astype(float),
        exceeded(largest[:, None], differences.sum(axis=1) / scale),
    )
