"""A reranker that scores no pair twice."""

from collections.abc import Sequence

import numpy as np

from rag.cache import key
from rag.cached import Progress, Store, cached_rows
from rag.embedding.embedder import composed
from rag.reranking.reranker import Pair, Reranker


class CachedReranker:
    """Scores through a cache. With everything cached the wrapped reranker loads no weights."""

    def __init__(self, reranker: Reranker, cache: Store) -> None:
        self.reranker = reranker
        self.cache = cache

    def scores(self, pairs: Sequence[Pair], progress: Progress | None = None) -> np.ndarray:
        """float32, (number of pairs,). `progress` gets the number of pairs newly done."""
        if not pairs:
            return np.empty(0, np.float32)
        keys, lengths = self.keys(pairs), [len(question) + len(passage) for question, passage in pairs]
        rows = cached_rows(self.cache, keys, lambda some: self._rows(pairs, some), progress, lengths=lengths)
        return np.concatenate(rows)

    def remember(self, pairs: Sequence[Pair], scores: np.ndarray) -> None:
        """Keep scores that were computed past the cache."""
        rows = scores.astype("<f4")[:, np.newaxis]
        self.cache.put_many({key: row.tobytes() for key, row in zip(self.keys(pairs), rows, strict=True)})

    def keys(self, pairs: Sequence[Pair]) -> list[str]:
        """The pairs' keys in the cache."""
        model = (self.reranker.revision, str(self.reranker.max_length), "identity", self.reranker.dtype)
        return [key("reranking", *model, composed(question), composed(passage)) for question, passage in pairs]

    def _rows(self, pairs: Sequence[Pair], positions: list[int]) -> np.ndarray:
        return self.reranker.scores([pairs[position] for position in positions])[:, np.newaxis]
