"""The shape of the parts: a place that keeps collections, and a collection that can be searched."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from scipy.sparse import csr_array

from rag.records import Chunk, Document, Hit

Vectors = np.ndarray | csr_array
"""A row for each passage or question. Dense ones are compared by cosine. Sparse ones hold terms: the score is the sum
of question's value * passage's value * log(1 + (N - n + 0.5) / (n + 0.5)), for a term in n of N passages."""


class Index(Protocol):
    """One collection; passages come back from it as the records that went in."""

    def search(
        self, vectors: Vectors, groups: Sequence[Sequence[str]], limit: int, exact: bool = False
    ) -> list[list[Hit]]:
        """The `limit` best passages for each row of `vectors` that its groups may read; sparse: that share a term.

        Equal scores stand in the order of the chunks.
        `exact`: look at every passage, also where the location approximates.
        """


class Location(Protocol):
    """A place for collections. `exact` False: it searches a graph (HNSW) that may miss a neighbour."""

    @property
    def exact(self) -> bool: ...

    def build(
        self, collection: str, chunks: Sequence[Chunk], vectors: Vectors, documents: Mapping[str, Document]
    ) -> Index:
        """Replace `collection` by one that holds `chunks` with `vectors`, shape (len(chunks), dimension)."""
