"""Pandoc's grid and multiline tables as blocks of markdown-it, which would read their rulers as heading underlines."""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

GRID_BORDER = re.compile(r"\+(?:[-=:]{3,}\+)+\s*$")
FULL_RULER = re.compile(r"-{3,}\s*$")
COLUMN_RULER = re.compile(r"-{2,}(?: +-{2,})+\s*$")
HEADING = re.compile(r"#{1,6}\s")


def pandoc_tables(md: MarkdownIt) -> None:
    """Adds a block rule for tables outside lists and quotations: tokens `pandoc_table`.

    Their `meta` holds the line where the body starts (the table's first if it has no header) and where later rows do.
    Source: https://pandoc.org/MANUAL.html#tables (grid tables; multiline tables with a header).
    """
    md.block.ruler.before("table", "pandoc_table", _rule)


def _rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    def line(n: int) -> str:
        return state.src[state.bMarks[n] + state.tShift[n] : state.eMarks[n]]

    find = _grid if GRID_BORDER.match(line(start)) else _multiline if FULL_RULER.match(line(start)) else None
    if find is None or state.level or state.is_code_block(start) or start + 1 == end or not line(start + 1):
        return False
    table = find([line(n) for n in range(start, end)])
    if table is None:
        return False
    if not silent:
        last, body, rows = table
        state.line = start + last
        token = state.push("pandoc_table", "", 0)
        token.map = [start, state.line]
        token.meta = {"body": start + body, "rows": [start + row for row in rows]}
    return True


def _grid(lines: list[str]) -> tuple[int, int, list[int]] | None:
    """Line after the table, first line of the body, starts of the later rows; counted from the table's first line."""
    height = next((n for n, line in enumerate(lines) if not line.startswith(("+", "|"))), len(lines))
    borders = [n for n in range(height) if GRID_BORDER.match(lines[n])]
    if len(borders) < 2 or borders[-1] != height - 1:
        return None
    body = next((n + 1 for n in borders[1:-1] if "=" in lines[n]), 0)
    return height, body, [n + 1 for n in borders[:-1] if n + 1 > max(body, 1)]


def _multiline(lines: list[str]) -> tuple[int, int, list[int]] | None:
    header_end = next((n for n, line in enumerate(lines[1:], 1) if not line or COLUMN_RULER.match(line)), len(lines))
    if header_end in (1, len(lines)) or not lines[header_end]:
        return None
    body = header_end + 1
    for n in range(body, len(lines)):
        if HEADING.match(lines[n]):
            return None
        if FULL_RULER.match(lines[n]):
            rows = [row for row in range(body + 1, n) if lines[row] and not lines[row - 1]]
            return n + 1, body, rows
    return None
