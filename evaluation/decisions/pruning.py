"""When the first questions are enough to say that a setting cannot reach those it has to beat."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.decisions.max_t import max_t


class Excluded(NamedTuple):
    """The leader (a row) that excludes a setting: the interval of its lead is `difference` ± `margin`, above 0."""

    leader: int
    difference: float
    margin: float


def excluded(leaders: NDArray[np.float64], scores: NDArray[np.float64]) -> Excluded | None:
    """Whether any of `leaders` (m, n) is significantly better than `scores` (n,) on the same first questions.

    Racing on blocks (Maron and Moore, NIPS 6, 1993; Birattari et al., GECCO 2002), in one race: paired by question, the
    leaders tested at once by max-T, so that a setting as good as all of them is left with 5 % whatever their number.
    That holds for one look; whoever looks again must share the 5 % out. Leaders that were chosen for their scores on
    these questions make it a little more: docs/optuna.md has what that comes to.
    """
    test = max_t(leaders, scores)
    lead = test.differences - test.margins
    best = int(lead.argmax())
    return Excluded(best, float(test.differences[best]), float(test.margins[best])) if lead[best] > 0 else None
