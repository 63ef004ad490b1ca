"""What every reranker offers."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from rag.embedding.tokenizer import Tokenizer

Pair = tuple[str, str]
"""Question and passage."""


class Reranker(Protocol):
    """Scores question and passage read together. Weights are loaded by the first scoring, not before.

    The first `depth` hits of a ranking are reranked; `blend` is the weight of the reranker against the dense score.
    Scores are raw logits: they order the candidates of one question and mean nothing beyond that.
    """

    @property
    def name(self) -> str: ...
    @property
    def revision(self) -> str:
        """Identifies the weights."""
        ...

    @property
    def depth(self) -> int: ...
    @property
    def blend(self) -> float: ...
    @property
    def max_length(self) -> int: ...
    @property
    def dtype(self) -> str: ...
    @property
    def tokenizer(self) -> Tokenizer: ...

    def scores(self, pairs: Sequence[Pair]) -> np.ndarray:
        """float32, (number of pairs,)."""
        ...


def count_truncated(reranker: Reranker, pairs: Sequence[Pair]) -> int:
    """How many pairs are longer than the model reads, special tokens included."""
    return sum(length > reranker.max_length for length in reranker.tokenizer.pair_lengths(pairs))
