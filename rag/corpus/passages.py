"""Documents that are one passage each, as benchmarks have them."""

import hashlib
import unicodedata

from rag.records import Document, Section


def passage(document_id: str, text: str, title: str = "", source: str = "") -> Document:
    """A document with one section `s0` over its whole text, none when the text is empty; everything in NFC."""
    document_id, text, title = (unicodedata.normalize("NFC", part) for part in (document_id, text, title))
    whole = Section(id=f"{document_id}#s0", slug="", title="", path=(), start=0, end=len(text))
    return Document(document_id, title, text, (whole,) if text else (), source=source)


def passage_id(text: str) -> str:
    """The id of a passage that has none of its own: the same text gets the same id wherever it is met, NFC or NFD."""
    return f"p-{hashlib.sha256(unicodedata.normalize('NFC', text).encode()).hexdigest()[:16]}"
