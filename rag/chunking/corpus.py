"""All chunks of a corpus."""

from collections.abc import Iterable

from rag.chunking.chunker import Chunker, Tokenizer
from rag.records import Chunk, Document


def chunk_corpus(documents: Iterable[Document], chunker: Chunker, tokenizer: Tokenizer) -> list[Chunk]:
    """Chunks of all documents, in the order of the documents; no span of a document occurs twice."""
    return [chunk for document in documents for chunk in chunker(document, tokenizer)]
