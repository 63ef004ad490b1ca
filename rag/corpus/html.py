"""HTML as Markdown text, so that sections and tables are found by the same code."""

import re

from bs4 import BeautifulSoup
from markdownify import MarkdownConverter

from rag.errors import InputError

INVISIBLE = ("script", "style", "nav", "template", "noscript")
STRUCTURE = re.compile(r"^([ \t]*)(?=#{1,6}(?:\s|$)|[-=]+\s*$|```|~~~|<)", re.MULTILINE)


def html_to_markdown(html: str) -> tuple[str, str]:
    """Markdown text (ATX headings, pipe tables; without script, style and nav) and the page's <title> or "".

    InputError does not name the file.
    """
    soup = BeautifulSoup(html, "html.parser")
    title = soup.title.extract().get_text() if soup.title else ""
    for element in soup(INVISIBLE):
        element.decompose()
    try:
        return _Converter(heading_style="ATX", bullets="-").convert_soup(soup), " ".join(title.split())
    except RecursionError:
        raise InputError("its elements are nested too deeply; save its text alone") from None


class _Converter(MarkdownConverter):
    """Escapes only what would read as a heading, a fence, raw HTML or a cell border: quotations stay findable."""

    def escape(self, text: str, parent_tags: set[str]) -> str:
        text = STRUCTURE.sub(r"\1\\", text)
        return text.replace("|", r"\|") if parent_tags & {"td", "th"} else text
