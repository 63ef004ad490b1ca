"""Cuts at headings; tables and code stay whole where they fit."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from rag.chunking.atoms import Atoms, atoms_of
from rag.chunking.blocks import Block, Kind, blocks
from rag.chunking.boundaries import prose_levels
from rag.chunking.chunker import Tokenizer, check_sizes
from rag.chunking.pieces import pieces
from rag.chunking.split import split
from rag.records import Chunk, Document, Section


@dataclass(frozen=True)
class Structure:
    """A chunk never crosses a heading, except that a heading with nothing below it joins the section that follows.

    Prose is cut as by `Recursive`; a table larger than `size` is cut between rows. `Chunk.context`: title and heading
    path, and for the later pieces of a table its header. `size` counts the tokens of the text, not of the context.
    """

    size: int
    overlap: int

    def __post_init__(self) -> None:
        check_sizes(self.size, self.overlap)

    def __call__(self, document: Document, tokenizer: Tokenizer) -> list[Chunk]:
        atoms = atoms_of(document.text, tokenizer)
        parts = list(blocks(document.text))
        coarsest = sorted({atoms.cut(position) for part in parts for position in (part.start, *part.rows)})
        inseparable = _inseparable(parts, atoms, self.size)
        levels = [
            [cut for cut in cuts if cut not in inseparable] for cuts in [coarsest, *prose_levels(document.text, atoms)]
        ]
        return [
            replace(chunk, context=_context(document, parts, chunk, section))
            for start, end in _joined_sections(document, parts)
            for chunk, section in pieces(
                document, atoms, split(atoms, atoms.cut(start), atoms.cut(end), levels, self.size, self.overlap)
            )
        ]


def _inseparable(parts: list[Block], atoms: Atoms, size: int) -> set[int]:
    """Cuts inside what is kept whole, and between headings and what they head."""
    found: set[int] = set()
    headings_from: int | None = None
    for part in parts:
        kept = _kept(part, atoms, size)
        for first, last in kept:
            found.update(range(first + 1, last))
        first = atoms.cut(part.start)
        if headings_from is not None and not (kept and atoms.count(headings_from, kept[0][1]) > size):
            found.add(first)
        if part.kind is not Kind.HEADING:
            headings_from = None
        elif headings_from is None:
            headings_from = first
    return found


def _kept(part: Block, atoms: Atoms, size: int) -> list[tuple[int, int]]:
    """A table or code that fits into a chunk; of a larger table the rows that fit, the first one with the header."""
    if part.kind not in (Kind.TABLE, Kind.FENCE):
        return []
    whole = (atoms.cut(part.start), atoms.cut(part.end))
    if atoms.count(*whole) <= size:
        return [whole]
    rows = pairwise([whole[0], *map(atoms.cut, part.rows), whole[1]])
    return [row for row in rows if atoms.count(*row) <= size]


def _joined_sections(document: Document, parts: list[Block]) -> Iterator[tuple[int, int]]:
    """Spans of sections, those that are only a heading together with the next."""
    heading_ends = {part.start: part.end for part in parts if part.kind is Kind.HEADING}
    start = None
    for section in document.sections:
        start = section.start if start is None else start
        below = document.text[heading_ends.get(section.start, section.start) : section.end]
        if below.strip() or section is document.sections[-1]:
            yield start, section.end
            start = None


def _context(document: Document, parts: list[Block], chunk: Chunk, section: Section) -> str:
    path = section.path[1:] if section.path[:1] == (document.title,) else section.path
    heading = " > ".join(name for name in (document.title, *path) if name)
    for part in parts:
        if part.kind is Kind.TABLE and part.start < chunk.start < part.end:
            above = document.text[part.start : min(part.body, chunk.start)]
            header = document.text[part.start : part.body].rstrip()
            return f"{heading}\n{header}" if above.strip() and header else heading
    return heading
