"""One CSV line a run, appended to a file that can be kept in git."""

import csv
import io
import os
from collections.abc import Mapping
from pathlib import Path

from rag.errors import InputError


def append(path: Path, line: Mapping[str, object]) -> None:
    """Append a line; a new file gets the header first. One write a line, so that processes do not mix theirs.

    Raises InputError if the file has other columns.
    """
    header = _csv(list(line))
    if path.exists() and path.stat().st_size:
        with path.open(encoding="utf-8", newline="") as file:
            if file.readline() != header:
                raise InputError(
                    f"{path}: has other columns than this release writes; move it away, a new one is begun"
                )
        header = ""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(descriptor, (header + _csv(list(line.values()))).encode())
    finally:
        os.close(descriptor)


def _csv(values: list[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(values)
    return text.getvalue()
