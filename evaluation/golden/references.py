"""References as golden sets write them."""

import unicodedata
from collections.abc import Mapping
from typing import Any

from evaluation.records import Reference
from rag.findings import RecordError, brief

_FORMS = '"doc", "doc#s3", "doc#slug", {"document", "quote"} or {"document", "start", "end"}'
_KEYS = {"document", "section", "quote", "start", "end"}
_PLACES: tuple[set[str], ...] = (set(), {"section"}, {"quote"}, {"start", "end"}, {"start", "end", "quote"})


def references_from(value: object) -> tuple[Reference, ...]:
    """A reference or a list of them: `doc`, `doc#section`, or an object with `document` and its place.

    The place is a `section`, a `quote`, a span `start`, `end`, or a span together with the `quote` that it must hold.
    Raises RecordError.
    """
    entries = value if isinstance(value, list) else [] if value in (None, "") else [value]
    return tuple(map(_reference, entries))


def _reference(entry: object) -> Reference:
    if isinstance(entry, str):
        document, mark, section = entry.strip().rpartition("#") if "#" in entry else (entry.strip(), "", "")
        if not document or (mark and not section):
            raise _malformed(entry)
        return Reference(_nfc(document.strip()), _nfc(section.strip()))
    given = {key: value for key, value in entry.items() if value is not None} if isinstance(entry, Mapping) else {}
    texts = [given.get(key, "-") for key in ("document", "section", "quote")]
    if not (
        given.keys() <= _KEYS
        and given.get("document")
        and given.keys() - {"document"} in _PLACES
        and all(isinstance(text, str) and text.strip() for text in texts)
    ):
        raise _malformed(entry)
    if "start" in given:
        start, end = given["start"], given["end"]
        if type(start) is not int or type(end) is not int or not 0 <= start < end:
            problem = f"span {brief(start)} to {brief(end)} is none"
            raise RecordError("malformed reference", problem, "start and end are code points, 0 <= start < end")
    composed: dict[str, Any] = {key: _nfc(value) if isinstance(value, str) else value for key, value in given.items()}
    return Reference(**composed)


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _malformed(entry: object) -> RecordError:
    return RecordError("malformed reference", f"{brief(entry)} is not a reference", f"expected {_FORMS}")
