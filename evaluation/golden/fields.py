"""The fields of a golden question by the names that German and English sets give them, and how their values read."""

import json
import re
import unicodedata
from collections.abc import Mapping

from evaluation.golden.references import references_from
from evaluation.records import Question
from rag.findings import RecordError, brief

NAMES: dict[str, tuple[str, ...]] = {
    "id": ("id", "_id", "qid", "question_id", "frage_id", "nr", "nummer"),
    "question": ("question", "frage", "fragetext", "query"),
    "expected_answer": (
        *("expected_answer", "expected", "answer", "reference_answer", "ground_truth"),
        *("referenz_antwort", "referenzantwort", "erwartete_antwort", "antwort"),
    ),
    "references": (
        *("references", "reference", "expected_contexts", "doc", "docs", "document", "documents"),
        *("referenz_abschnitte", "referenzen", "referenz", "abschnitte", "dokument", "dokumente", "quelle", "quellen"),
    ),
    "category": ("category", "kategorie"),
    "difficulty": ("difficulty", "schwierigkeit"),
    "groups": ("groups", "group", "gruppen", "gruppe"),
    "answerable": ("answerable", "beantwortbar"),
    "metadata": ("metadata", "metadaten"),
}
_FIELD = {name: field for field, names in NAMES.items() for name in names}
_YES = {"true", "yes", "ja", "wahr", "1"}
_NO = {"false", "no", "nein", "falsch", "0"}


def field_of(name: str) -> str:
    """The field that a column or key names, "" for one that is kept as metadata; case, blanks and hyphens are free."""
    plain = _nfc(name).strip().casefold()
    return _FIELD.get(re.sub(r"[\s-]+", "_", plain), "")


def question_from(record: object, default_id: str) -> Question:
    """One record as a question, in NFC; what no field names goes to the metadata as it is. Raises RecordError."""
    if not isinstance(record, Mapping):
        raise RecordError("not a record", f"{brief(record)} is not a record", "expected an object with named fields")
    named, rest = _named(record)
    question = _text(named, "question")
    if not any(character.isalnum() for character in question):  # zero-width characters are no text
        raise RecordError("no question", "there is no question text", "fill the question in or take the record out")
    answer = _text(named, "expected_answer")
    references = references_from(named.get("references"))
    answerable = _flag(named.get("answerable"))
    return Question(
        id=_text(named, "id") or default_id,
        question=question,
        expected_answer=answer,
        references=references,
        category=_text(named, "category"),
        difficulty=_text(named, "difficulty"),
        groups=_groups(named.get("groups")),
        answerable=bool(answer or references) if answerable is None else answerable,
        metadata=_metadata(named.get("metadata"), rest),
    )


def _named(record: Mapping[str, object]) -> tuple[dict[str, object], dict[str, object]]:
    named: dict[str, object] = {}
    rest: dict[str, object] = {}
    for key, value in record.items():
        if field := field_of(key):
            if field in named:
                problem = f"{key!r} is the second name of the field {field!r} in this record"
                raise RecordError("field given twice", problem, "keep one of them")
            named[field] = value
        else:
            rest[key] = value
    return named, rest


def _text(named: Mapping[str, object], field: str) -> str:
    value = named.get(field)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise RecordError("wrong type", f"{field} is {brief(value)}", "expected text")
    return _nfc(str(value).strip())


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _flag(value: object) -> bool | None:
    plain = "" if value is None else str(value).strip().casefold()
    if plain and plain not in _YES | _NO:
        raise RecordError("wrong type", f"answerable is {brief(value)}", "expected true or false, ja or nein")
    return plain in _YES if plain else None


def _groups(value: object) -> tuple[str, ...]:
    names = re.split(r"[|;,\n]", value) if isinstance(value, str) else value or []
    if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise RecordError("wrong type", f"groups is {brief(value)}", "expected a list of names")
    return tuple(dict.fromkeys(_nfc(name.strip()) for name in names if name.strip()))


def _metadata(value: object, rest: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    pairs = [*(value.items() if isinstance(value, Mapping) else [("metadata", value)]), *rest.items()]
    return tuple(
        (key, entry if isinstance(entry, str) else json.dumps(entry, ensure_ascii=False))
        for key, entry in pairs
        if entry not in (None, "")
    )
