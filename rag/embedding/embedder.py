"""What every embedder offers."""

import unicodedata
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from rag.embedding.tokenizer import Tokenizer


class Embedder(Protocol):
    """Texts to vectors of length 1. Weights are loaded by the first embedding, not before.

    Models see texts in Unicode's composed form (NFC) with the prefix in front, cut after `max_tokens`.
    """

    @property
    def name(self) -> str: ...
    @property
    def revision(self) -> str:
        """Identifies the weights and all that turns their output into vectors."""
        ...

    @property
    def query_prefix(self) -> str: ...
    @property
    def passage_prefix(self) -> str: ...
    @property
    def dimension(self) -> int: ...
    @property
    def max_tokens(self) -> int: ...
    @property
    def tokenizer(self) -> Tokenizer: ...

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        """float32, (number of texts, dimension)."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        """float32, (number of texts, dimension)."""
        ...


def composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def count_truncated(embedder: Embedder, passages: Sequence[str]) -> int:
    """How many passages are longer than the model reads, prefix and special tokens included."""
    lengths = embedder.tokenizer.lengths([embedder.passage_prefix + text for text in passages])
    return sum(length > embedder.max_tokens for length in lengths)
