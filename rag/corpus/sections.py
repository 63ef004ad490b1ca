"""A document's sections: a heading with the text below it, up to the next heading of any level."""

import re
from collections.abc import Iterator
from itertools import pairwise

from markdown_it.token import Token

from rag.corpus.markdown import line_starts, parse
from rag.corpus.slugs import Slugs
from rag.records import Section

PANDOC_ATTRIBUTES = re.compile(r"\s*\{(?:[#.][^{}]*|-)\}$")


def sections(document_id: str, text: str) -> tuple[Section, ...]:
    """Sections of a Markdown text with \\n line ends; together they cover it from the first one's start to its end.

    Headings inside quotations and lists open no section. Pandoc attributes (`{#anchor}`) are no part of a title.
    """
    headings = list(_headings(text))
    start = headings[0][0] if headings else len(text)
    found = [plain_section(document_id, text[:start])] if text[:start].strip() else []
    slugs = Slugs()
    outer: list[tuple[int, str]] = []
    for n, ((start, level, title), (end, _, _)) in enumerate(pairwise([*headings, (len(text), 0, "")]), 1):
        outer = [(depth, name) for depth, name in outer if depth < level] + [(level, title)]
        path = tuple(name for _, name in outer)
        found.append(Section(f"{document_id}#s{n}", slugs(title), title, path, start, end))
    return tuple(found)


def plain_section(document_id: str, text: str) -> Section:
    """The section of text without headings."""
    return Section(f"{document_id}#s0", "", "", (), 0, len(text))


def _headings(text: str) -> Iterator[tuple[int, int, str]]:
    starts = line_starts(text)
    for heading, inline in pairwise(parse(text)):
        if heading.type == "heading_open" and heading.level == 0 and heading.map:
            title = _plain(inline.children or []).strip()
            yield starts[heading.map[0]], int(heading.tag[1]), PANDOC_ATTRIBUTES.sub("", title)


def _plain(inline: list[Token]) -> str:
    breaks = {"softbreak": " ", "hardbreak": " ", "html_inline": ""}
    return "".join(breaks.get(token.type, token.content) for token in inline)
