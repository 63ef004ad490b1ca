"""Markdown blocks with their places in the text."""

from functools import cache, lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from rag.corpus.pandoc import pandoc_tables


@lru_cache(maxsize=128)  # every chunking of a sweep reads the same documents
def parse(text: str) -> tuple[Token, ...]:
    """Tokens of CommonMark with pipe and Pandoc tables. `Token.map` counts lines, which end in \\n and nothing else."""
    return tuple(_parser().parse(text))


def line_starts(text: str) -> list[int]:
    """Offset of each line of `parse`, and the end of the text as the start of the line after the last."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    starts[-1] = len(text)
    return starts


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table").use(pandoc_tables)
