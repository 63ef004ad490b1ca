"""Paragraphs, then lines, sentences and words, as many as fit."""

from dataclasses import dataclass

from rag.chunking.atoms import atoms_of
from rag.chunking.boundaries import prose_levels
from rag.chunking.chunker import Tokenizer, check_sizes
from rag.chunking.pieces import pieces
from rag.chunking.split import split
from rag.records import Chunk, Document


@dataclass(frozen=True)
class Recursive:
    """At most `size` tokens up to the coarsest boundary within reach; at most `overlap` tokens repeated.

    Cuts over offsets computed once: semantic-text-splitter tokenizes every piece anew (16 times as long on the
    Straßenverkehrs-Ordnung) and its counts are those of the pieces, not of the document.
    """

    size: int
    overlap: int

    def __post_init__(self) -> None:
        check_sizes(self.size, self.overlap)

    def __call__(self, document: Document, tokenizer: Tokenizer) -> list[Chunk]:
        atoms = atoms_of(document.text, tokenizer)
        levels = prose_levels(document.text, atoms)
        windows = split(atoms, 0, len(atoms), levels, self.size, self.overlap)
        return [chunk for chunk, _ in pieces(document, atoms, windows)]
