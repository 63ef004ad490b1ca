"""Answers for people to label: which ones, and the file that a German Excel opens and saves."""

import csv
import hashlib
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rag.errors import InputError

SHOWN = ("id", "category", "question", "expected_answer", "answer", "cited", "references")
LABEL = "label"  # the column that people fill in; what the judge said is not shown
MEANT = {
    **{label: label for label in ("correct", "partly", "wrong")},
    "richtig": "correct",
    "teilweise": "partly",
    "falsch": "wrong",
}
FORMULA = re.compile(r"'*[=+@\t\r-]")  # Excel would compute it; one more apostrophe keeps it a text


class Labelled(NamedTuple):
    """A person's label; `answer` is the text that it was given to, None if the file does not hold it."""

    label: str
    answer: str | None


def judged(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows whose label came from the judge; the others are labelled by rule and would flatter it."""
    return [
        row for row in rows if row["answerable"] and row["label"] not in (None, "declined") and row["expected_answer"]
    ]


def choose(rows: Sequence[Mapping[str, Any]], n: int) -> list[Mapping[str, Any]]:
    """`n` rows, or all, with categories and labels as they are among all rows; the same ones every time.

    A systematic sample of the rows in order of category, label and hash of the id: every stratum gets its share,
    rounded up or down (Cochran, Sampling Techniques, ch. 8).
    """
    ordered = sorted(rows, key=lambda row: (row["category"], row["label"], _hash(row["id"])))
    n = min(n, len(ordered))
    return [ordered[int((i + 0.5) * len(ordered) / n)] for i in range(n)]


def write(rows: Sequence[Mapping[str, Any]], file: Path) -> None:
    """UTF-8 with BOM, semicolons, an empty column for the label.

    Raises InputError for a file that cannot be written, or that holds anything else, such as labels.
    """
    out = io.StringIO()
    table = csv.writer(out, delimiter=";")
    table.writerow([*SHOWN, LABEL])
    table.writerows([*(_cell(row[name]) for name in SHOWN), ""] for row in rows)
    data = out.getvalue().encode("utf-8-sig")
    try:
        if file.exists() and file.read_bytes() != data:
            raise InputError(f"{file}: is there already, perhaps with labels; move it or name another with --file")
        file.write_bytes(data)
    except OSError as error:
        raise InputError(f"{file}: cannot be written ({error.strerror}); name another file with --file") from error


def read(file: Path) -> dict[str, Labelled]:
    """The labels by question id, in English or German words; rows without one are left out, other columns are free.

    Raises InputError for a file that is no such table, an unknown label, an id twice.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror}); name the file that was exported") from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")  # Excel's plain "CSV"; ids and labels survive
    found: dict[str, Labelled] = {}
    table = csv.DictReader(io.StringIO(text, newline=""), delimiter=";")
    try:
        columns, rows = table.fieldnames or (), [(table.line_num, row) for row in table]
    except csv.Error as error:
        raise InputError(f"{file}: line {table.line_num + 1}: {error}; save it as CSV with semicolons") from error
    if not {"id", LABEL} <= set(columns):
        raise InputError(f"{file}: no columns id and {LABEL}; save it as CSV with semicolons, first line unchanged")
    for line, row in rows:
        given, own = (row[LABEL] or "").strip().lower(), _text(row["id"] or "")
        if given and given not in MEANT:
            raise InputError(f"{file}: line {line}: label {given!r} must be one of {', '.join(MEANT)}")
        if own in found:
            raise InputError(f"{file}: line {line}: id {own!r} is labelled twice; delete one line")
        if given:
            answer = row.get("answer")
            found[own] = Labelled(MEANT[given], None if answer is None else _text(answer))
    return found


def same_answer(labelled: Labelled, answer: str) -> bool:
    """Whether the label was given to this answer, however Excel saved it (line ends, characters that cp1252 lacks)."""
    return labelled.answer is None or _as_saved(labelled.answer) == _as_saved(answer)


def _as_saved(text: str) -> list[str]:
    return text.encode("cp1252", errors="replace").decode("cp1252", errors="replace").split()


def meant(said: Any, question: str) -> str:
    """The label that a person's word stands for. Raises InputError naming the question."""
    word = str(said).strip().lower()
    if word not in MEANT:
        raise InputError(f"question {question!r}: label {said!r} must be one of {', '.join(MEANT)}")
    return MEANT[word]


def _cell(value: Any) -> str:
    text = "; ".join(value) if isinstance(value, list) else str(value)
    return f"'{text}" if FORMULA.match(text) else text


def _text(cell: str) -> str:
    """What `_cell` was made of."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
