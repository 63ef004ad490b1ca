"""Random signs: what a difference would be if a coin had said, question by question, which run gave which outcome.

The signs are the same in every call, so that a decision can be repeated.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

FLIPS = 1999
SAME = 1e-4
"""Statistics of float32 outcomes closer than this are ties."""


@lru_cache(maxsize=16)
def signs(n: int, flips: int) -> NDArray[np.float32]:
    """+1 or -1 for each flip and question, (flips, n)."""
    coins = np.random.default_rng(0).integers(0, 2, (flips, n), dtype=np.int8)
    return (2 * coins - 1).astype(np.float32)


def exceeded(null: NDArray[np.float32], observed: NDArray[np.float32]) -> NDArray[np.float64]:
    """p-values: how often null statistics (flips, m or 1) reach those observed (m,), which count as one flip more.

    With that one a p-value is never 0, and the test keeps its level for any number of flips (Phipson and Smyth 2010).
    """
    return (1 + (null >= observed - SAME).sum(axis=0)) / (1 + len(null))
