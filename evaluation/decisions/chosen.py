"""The score of a run that was chosen for its score."""

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1000


def corrected_score(scores: NDArray[np.float64]) -> float:
    """What the best of the rows of `scores` (m, n) by their mean can be expected to reach on new questions.

    Resampled questions choose a run, and the questions that were not drawn score it; the mean over all resamples
    (Tsamardinos, Greasidou and Borboudakis, Machine Learning 107, 2018: BBC-CV). Expects at least two questions.
    """
    n = scores.shape[1]
    drawn = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    drawn = drawn[(drawn == 0).any(axis=1)]  # of few questions every one may be drawn
    chosen = (drawn @ scores.T).argmax(axis=1)
    left_out = (drawn == 0).astype(float)
    return float(((left_out * scores[chosen]).sum(axis=1) / left_out.sum(axis=1)).mean())
