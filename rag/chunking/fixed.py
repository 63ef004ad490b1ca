"""Windows of a fixed number of tokens."""

from dataclasses import dataclass

from rag.chunking.atoms import atoms_of
from rag.chunking.chunker import Tokenizer, check_sizes
from rag.chunking.pieces import pieces
from rag.chunking.split import split
from rag.records import Chunk, Document


@dataclass(frozen=True)
class Fixed:
    """Windows of `size` tokens, each beginning `overlap` tokens before the end of the one before."""

    size: int
    overlap: int

    def __post_init__(self) -> None:
        check_sizes(self.size, self.overlap)

    def __call__(self, document: Document, tokenizer: Tokenizer) -> list[Chunk]:
        atoms = atoms_of(document.text, tokenizer)
        anywhere = range(len(atoms))
        windows = split(atoms, 0, len(atoms), [anywhere], self.size, self.overlap)
        return [chunk for chunk, _ in pieces(document, atoms, windows)]
