"""Holm's correction for many tests."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """p-values that keep the chance of any false find below the level, (m,) (Holm, Scand. J. Statistics 6, 1979).

    The i-th smallest of m is multiplied by m - i + 1, and none is smaller than one before it.
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(adjusted, 1)
