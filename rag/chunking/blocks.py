"""The Markdown blocks that cutting by structure respects."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from rag.corpus.markdown import line_starts, parse


class Kind(Enum):
    HEADING = auto()
    TABLE = auto()
    FENCE = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Block:
    """A top-level block's span. Of a table also where its body starts (`start`: no header) and all later rows start."""

    kind: Kind
    start: int
    end: int
    body: int
    rows: tuple[int, ...] = ()


KINDS = {"heading_open": Kind.HEADING, "table_open": Kind.TABLE, "pandoc_table": Kind.TABLE, "fence": Kind.FENCE}


def blocks(text: str) -> Iterator[Block]:
    """Top-level blocks in order. What lies between them (link definitions) belongs to none."""
    starts = line_starts(text)
    for token in parse(text):
        if token.level or token.nesting < 0 or token.map is None:
            continue
        first, last = token.map
        body, rows = first, []
        if token.type == "table_open":
            body, rows = first + 2, list(range(first + 3, last))
        elif token.type == "pandoc_table":
            body, rows = token.meta["body"], token.meta["rows"]
        kind = KINDS.get(token.type, Kind.OTHER)
        yield Block(kind, starts[first], starts[last], starts[body], tuple(starts[row] for row in rows))
