"""One CSV line a run, appended to a file that can be kept in git."""

import csv
import io
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from rag.errors import InputError


def check(path: Path, columns: Iterable[str]) -> None:
    """Raises InputError if a line with these columns could not be appended."""
    begun = next(place for place in (path, *path.absolute().parents) if place.exists())
    if begun.is_dir() == (begun == path) or not os.access(begun, os.W_OK):
        raise InputError(f"tracking.ledger={path}: {begun} is in the way or cannot be written; name another file")
    if begun == path and path.stat().st_size:
        with path.open(encoding="utf-8", errors="replace", newline="") as file:
            if file.readline() != _csv(columns):
                raise InputError(
                    f"{path}: has other columns than this release writes; move it away, a new one is begun"
                )


def append(path: Path, line: Mapping[str, object]) -> None:
    """Append a line; a new file gets the header first. One write a line, so that processes do not mix theirs.

    Raises InputError if the file cannot be written or has other columns.
    """
    check(path, line)
    header = "" if path.exists() and path.stat().st_size else _csv(line)
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(descriptor, (header + _csv(line.values())).encode())
    finally:
        os.close(descriptor)


def _csv(values: Iterable[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(values)
    return text.getvalue()
