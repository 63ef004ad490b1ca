"""Runs that no other run beats in everything."""

import numpy as np
from numpy.typing import NDArray


def pareto_front(costs: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The rows of `costs` (m, k) that no row undercuts in a column without exceeding one, (m,). Negate quality."""
    no_worse = (costs[:, None] <= costs[None]).all(axis=2)
    better = (costs[:, None] < costs[None]).any(axis=2)
    return np.asarray(~(no_worse & better).any(axis=0))
