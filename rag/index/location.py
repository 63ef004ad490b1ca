"""The shape of the parts: a place that keeps collections, and a collection that can be searched."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from rag.records import Chunk, Document, Hit


class Index(Protocol):
    """One collection; passages come back from it as the records that went in."""

    def search(
        self, vectors: np.ndarray, groups: Sequence[Sequence[str]], limit: int, exact: bool = False
    ) -> list[list[Hit]]:
        """The `limit` best passages by cosine for each query vector, shape (questions, dimension).

        Only those that the question's groups may read. Equal scores stand in the order of the chunks.
        `exact`: look at every passage, also where the location approximates.
        """


class Location(Protocol):
    """A place for collections. `exact` False: it searches a graph (HNSW) that may miss a neighbour."""

    @property
    def exact(self) -> bool: ...

    def build(
        self, collection: str, chunks: Sequence[Chunk], vectors: np.ndarray, documents: Mapping[str, Document]
    ) -> Index:
        """Replace `collection` by one that holds `chunks` with `vectors`, shape (len(chunks), dimension)."""
