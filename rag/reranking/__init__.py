"""Reads question and passage together: `CrossEncoderReranker`, `CachedReranker` around it, and `blend`."""

from rag.reranking.blend import blend
from rag.reranking.cached import CachedReranker
from rag.reranking.cross_encoder import CrossEncoderReranker
from rag.reranking.rerank import rerank
from rag.reranking.reranker import Reranker, count_truncated

__all__ = ["CachedReranker", "CrossEncoderReranker", "Reranker", "blend", "count_truncated", "rerank"]
