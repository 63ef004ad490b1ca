"""Documents cut into chunks by one of three strategies; sizes count the tokens of the embedding model."""

from rag.chunking.chunker import Chunker, Tokenizer
from rag.chunking.corpus import chunk_corpus
from rag.chunking.fixed import Fixed
from rag.chunking.recursive import Recursive
from rag.chunking.structure import Structure

__all__ = ["Chunker", "Fixed", "Recursive", "Structure", "Tokenizer", "chunk_corpus"]
