"""BM25 that Qdrant computes: terms as sparse vectors, for corpora whose matrix does not fit in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rag.index import Index, Location
from rag.lexical.analysis import Analyzer
from rag.lexical.bm25 import BM25, term_counts
from rag.records import Chunk, Document, Hit


@dataclass(frozen=True, slots=True)
class Stored:
    """Terms as `analyzer` reads them, kept and weighted by Qdrant."""

    analyzer: Analyzer

    def build(
        self, place: Location, collection: str, chunks: Sequence[Chunk], documents: Mapping[str, Document]
    ) -> "StoredIndex":
        """Replace `collection` by one that holds the terms of `chunks`.

        What is stored is the passage's part of BM25 (`BM25.frequencies`, as 32-bit floats); Qdrant multiplies it by
        the inverse document frequency, by the formula that `BM25` has too. So scores are BM25's to about six digits.
        """
        bm25 = BM25(self.analyzer(chunk.ranked_text) for chunk in chunks)
        values = bm25.frequencies.astype(np.float32)
        return StoredIndex(place.build(collection, chunks, values, documents), self.analyzer, bm25.vocabulary)


class StoredIndex:
    """Terms in a collection. Here are only the columns of the terms."""

    def __init__(self, index: Index, analyzer: Analyzer, vocabulary: Mapping[str, int]) -> None:
        self.index, self.analyzer, self.vocabulary = index, analyzer, vocabulary

    def search(self, questions: Sequence[str], groups: Sequence[Sequence[str]], limit: int) -> list[list[Hit]]:
        """The `limit` best readable passages for each question; passages that share no term with it never appear."""
        asked = term_counts([self.analyzer(question) for question in questions], self.vocabulary)
        known = np.flatnonzero(np.diff(asked.indptr)).tolist()  # the others have nothing to look for
        found: list[list[Hit]] = [[] for _ in questions]
        for i, hits in zip(known, self.index.search(asked[known], [groups[i] for i in known], limit), strict=True):
            found[i] = hits
        return found


def stored(**settings: Any) -> Stored:
    """`settings`: those of the Analyzer."""
    return Stored(Analyzer(**settings))
