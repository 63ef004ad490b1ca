"""Chunk records from cuts."""

from collections.abc import Iterable, Iterator

from rag.chunking.atoms import Atoms
from rag.records import Chunk, Document, Section


def pieces(document: Document, atoms: Atoms, windows: Iterable[tuple[int, int]]) -> Iterator[tuple[Chunk, Section]]:
    """The chunk of each window and the section that holds most of it, the first on ties; blank windows are left out."""
    for first, last in windows:
        start, end = atoms.starts[first], atoms.ends[last - 1]
        text = document.text[start:end]
        if text.strip():
            section = max(document.sections, key=lambda part: min(part.end, end) - max(part.start, start))
            yield Chunk(document.id, start, end, text, section.id), section
