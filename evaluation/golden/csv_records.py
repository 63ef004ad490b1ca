"""CSV as a German Excel writes it and as everybody else does."""

import csv
import io
import re
from collections.abc import Iterator

from evaluation.golden.collect import GoldenSet, collect
from evaluation.golden.fields import NAMES, field_of
from rag.errors import InputError
from rag.findings import Finding, brief

_SEPARATORS = ";,\t"


def read_csv(text: str, source: str) -> GoldenSet:
    """CSV with a header; the separator is the one that makes known fields of it.

    A cell holds several references with `|`, `;` or a line end between them. Rows may lack empty cells at their end.
    Raises InputError.
    """
    header, separator = max(
        ((_header(text, separator, source), separator) for separator in _SEPARATORS),
        key=lambda tried: sum(bool(field_of(name)) for name in tried[0]),
    )
    if "question" not in map(field_of, header):
        raise InputError(
            f"{source}: neither JSON nor CSV with a column for the question: {', '.join(NAMES['question'])}"
        )
    if len(set(header)) < len(header):
        raise InputError(f"{source}, line 1: a column name occurs twice; rename one")
    return collect(_records(text, header, separator, source), source)


def _header(text: str, separator: str, source: str) -> list[str]:
    """The column names; lenient, as quoted names are faulty CSV while the wrong separator is tried."""
    names = next((cells for _, cells in _rows(text, separator, source, strict=False)), [])
    while names and not names[-1].strip():  # Excel keeps columns that were emptied
        names.pop()
    return names


def _records(text: str, header: list[str], separator: str, source: str) -> Iterator[tuple[str, object]]:
    rows = _rows(text, separator, source, strict=True)  # an open quote must not swallow the rest of the file
    next(rows)
    for where, cells in rows:
        if any(cell.strip() for cell in cells[len(header) :]):
            problem = f"{len(cells)} cells under {len(header)} column names: {brief(cells)}"
            yield where, Finding(where, problem, f"quote cells that contain {separator!r}", "too many cells")
        else:
            yield where, {name: _value(name, cell) for name, cell in zip(header, cells, strict=False) if cell.strip()}


def _value(name: str, cell: str) -> object:
    return [part for part in re.split(r"[|;\r\n]", cell) if part.strip()] if field_of(name) == "references" else cell


def _rows(text: str, separator: str, source: str, strict: bool) -> Iterator[tuple[str, list[str]]]:
    """("line 3", cells) of each row that is not blank. Raises InputError naming the line where a faulty row starts."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=strict)
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield f"line {line}", cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{source}, line {line}: not CSV: {error}; correct the quotes") from None
