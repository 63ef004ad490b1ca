"""Where "too weak" begins, found anew for every embedding model and corpus, because their cosines differ."""

from importlib.resources import files

import numpy as np


def background_questions() -> list[str]:
    """Everyday questions, German and English, that no company's documents answer."""
    text = files("rag.answering").joinpath("background.txt").read_text(encoding="utf-8")
    return [line for line in text.split("\n") if line and not line.startswith("#")]


def background_threshold(background: np.ndarray, passages: np.ndarray, quantile: float) -> float:
    """The cosine that the best passage reaches by chance: a `quantile` of the background questions stays below it.

    background: (questions, dimension), passages: (passages, dimension), both of length 1.
    """
    return float(np.quantile((background @ passages.T).max(axis=1), quantile))
