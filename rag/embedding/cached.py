"""An embedder that computes no text twice."""

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from rag.cache import key
from rag.cached import Progress, Store, cached_rows
from rag.embedding.embedder import Embedder, composed

Kind = Literal["passage", "query"]


class CachedEmbedder:
    """Embeds through a cache. With everything cached the wrapped embedder loads no weights.

    The key holds the composed text, so that a text gets the same numbers in either Unicode form.
    """

    def __init__(self, embedder: Embedder, cache: Store) -> None:
        self.embedder = embedder
        self.cache = cache

    def embed_passages(self, texts: Sequence[str], progress: Progress | None = None) -> np.ndarray:
        """float32, (number of texts, dimension). `progress` gets the number of texts newly done."""
        return self._embed("passage", self.embedder.embed_passages, texts, progress)

    def embed_queries(self, texts: Sequence[str], progress: Progress | None = None) -> np.ndarray:
        """float32, (number of texts, dimension). `progress` gets the number of texts newly done."""
        return self._embed("query", self.embedder.embed_queries, texts, progress)

    def keys(self, kind: Kind, texts: Sequence[str]) -> list[str]:
        """The texts' keys in the cache."""
        prefix = self.embedder.passage_prefix if kind == "passage" else self.embedder.query_prefix
        model = (self.embedder.revision, str(self.embedder.max_tokens))
        return [key("embedding", *model, kind, prefix, composed(text)) for text in texts]

    def _embed(
        self,
        kind: Kind,
        embed: Callable[[Sequence[str]], np.ndarray],
        texts: Sequence[str],
        progress: Progress | None,
    ) -> np.ndarray:
        if not texts:
            return np.empty((0, self.embedder.dimension), np.float32)
        keys, lengths = self.keys(kind, texts), [len(text) for text in texts]
        rows = cached_rows(
            self.cache, keys, lambda some: embed([texts[position] for position in some]), progress, lengths=lengths
        )
        return np.stack(rows)
