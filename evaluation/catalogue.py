"""The documents and sections that references may name."""

import unicodedata
from collections.abc import Iterable

from rapidfuzz import process

from rag.findings import RecordError, brief
from rag.records import Document, Section

_ENDINGS = (".md", ".markdown", ".txt", ".html", ".htm", ".pdf", ".docx")


class Catalogue:
    """Looks documents up by id, and their sections by id or heading slug, in any Unicode form. Raises RecordError."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = {_nfc(document.id): document for document in documents}

    def document(self, name: str) -> Document:
        """The document of this id, with or without a file ending behind it."""
        whole = _nfc(name)
        stem = next((whole[: -len(ending)] for ending in _ENDINGS if whole.lower().endswith(ending)), whole)
        found = self._documents.get(whole) or self._documents.get(stem)
        if found is None:
            ids = [document.id for document in self._documents.values()]
            raise RecordError("unknown document", f"there is no document {brief(name)}", _nearest(stem, ids))
        return found

    def section(self, document: Document, name: str) -> Section:
        """The section whose id ends in `#name`, else the one whose heading has this slug; it has text of its own."""
        plain = _plain(name)
        sections = document.sections
        by_id = [section for section in sections if _plain(_number(section)) == plain]
        found = by_id or [section for section in sections if section.slug and _plain(section.slug) == plain]
        if not found:
            # last first: a number that does not exist is mostly too high, and ties are taken in order
            known = [name for section in reversed(sections) for name in (_number(section), section.slug) if name]
            problem = f"document {document.id!r} has no section {brief(name)}"
            raise RecordError("unknown section", problem, _nearest(plain, known))
        if len(found) > 1:
            problem = f"{len(found)} sections of {document.id!r} are called {brief(name)}"
            raise RecordError("ambiguous section", problem, f"name one of {', '.join(map(_number, found))}")
        if _only_heading(found[0], document):
            below = sections[sections.index(found[0]) + 1 :]
            near = [f"{_number(s)} {brief(s.title)}" for s in below if not _only_heading(s, document)]
            problem = f"section {brief(name)} of {document.id!r} is only a heading"
            raise RecordError(
                "empty section", problem, f"name a section with text: {', '.join(near[:3]) or 'none below'}"
            )
        return found[0]


def _number(section: Section) -> str:
    return section.id.rpartition("#")[2]


def _only_heading(section: Section, document: Document) -> bool:
    lines = document.text[section.start : section.end].strip().split("\n")
    below = lines[1:] if section.path else lines  # no path: text before the first heading
    return not "".join(below).strip(" \t\r=-")  # a row of = or - underlines the heading


def _nfc(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _plain(name: str) -> str:
    return _nfc(name).casefold()


def _nearest(name: str, known: list[str]) -> str:
    near = [match[0] for match in process.extract(name, known, limit=3, score_cutoff=50)]
    return f"nearest: {', '.join(near)}" if near else f"known: {', '.join(known[:3]) or 'none'}"
