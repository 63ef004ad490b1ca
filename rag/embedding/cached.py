"""An embedder that computes no text twice."""

from collections.abc import Callable, Sequence

import numpy as np

from rag.cache import Cache, key
from rag.cached import Progress, cached_rows
from rag.embedding.embedder import Embedder, composed


class CachedEmbedder:
    """Embeds through a cache. With everything cached the wrapped embedder loads no weights.

    The key holds the composed text, so that a text gets the same numbers in either Unicode form.
    """

    def __init__(self, embedder: Embedder, cache: Cache) -> None:
        self.embedder = embedder
        self.cache = cache

    def embed_passages(self, texts: Sequence[str], progress: Progress | None = None) -> np.ndarray:
        """float32, (number of texts, dimension). `progress` gets the number of texts newly done."""
        prefix = self.embedder.passage_prefix
        return self._embed("passage", prefix, self.embedder.embed_passages, texts, progress)

    def embed_queries(self, texts: Sequence[str], progress: Progress | None = None) -> np.ndarray:
        """float32, (number of texts, dimension). `progress` gets the number of texts newly done."""
        return self._embed("query", self.embedder.query_prefix, self.embedder.embed_queries, texts, progress)

    def _embed(
        self,
        kind: str,
        prefix: str,
        embed: Callable[[Sequence[str]], np.ndarray],
        texts: Sequence[str],
        progress: Progress | None,
    ) -> np.ndarray:
        if not texts:
            return np.empty((0, self.embedder.dimension), np.float32)
        model = (self.embedder.revision, str(self.embedder.max_tokens))
        keys = [key("embedding", *model, kind, prefix, composed(text)) for text in texts]
        return np.stack(cached_rows(self.cache, keys, lambda positions: embed([texts[p] for p in positions]), progress))
