"""The two parts that are swapped: what counts tokens and what cuts."""

from typing import Protocol

from rag.errors import InputError
from rag.records import Chunk, Document


class Tokenizer(Protocol):
    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Character span of each token, in order, special tokens left out."""


class Chunker(Protocol):
    def __call__(self, document: Document, tokenizer: Tokenizer) -> list[Chunk]:
        """Chunks in order of their start; each token that is not mere whitespace is in at least one of them."""


def check_sizes(size: int, overlap: int) -> None:
    """Raises InputError unless 0 <= overlap < size."""
    if size < 1:
        raise InputError(f"chunking.size={size} must be at least 1")
    if overlap < 0:
        raise InputError(f"chunking.overlap={overlap} must be at least 0")
    if overlap >= size:
        raise InputError(f"chunking.overlap={overlap} must be smaller than chunking.size={size}")
