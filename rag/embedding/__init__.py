"""Texts to vectors: `SentenceTransformerEmbedder` or `FastembedEmbedder`, and `CachedEmbedder` around either."""

from rag.embedding.cached import CachedEmbedder
from rag.embedding.embedder import Embedder, count_truncated
from rag.embedding.onnx import FastembedEmbedder
from rag.embedding.sentence_transformer import SentenceTransformerEmbedder
from rag.embedding.tokenizer import Tokenizer

__all__ = [
    "CachedEmbedder",
    "Embedder",
    "FastembedEmbedder",
    "SentenceTransformerEmbedder",
    "Tokenizer",
    "count_truncated",
]
