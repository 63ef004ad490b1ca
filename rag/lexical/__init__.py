"""Text analysis for word matching, and BM25 over it."""

from rag.lexical.analysis import Analyzer
from rag.lexical.bm25 import BM25
from rag.lexical.stored import Stored, stored

__all__ = ["BM25", "Analyzer", "Stored", "stored"]
