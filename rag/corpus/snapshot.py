"""A corpus as it was read, in one file: what an index can be built from when its sources have changed or are gone."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from rag.records import Document, Section


def write_snapshot(documents: Iterable[Document], file: Path) -> None:
    """One JSON object a line, a document each."""
    lines = (json.dumps(asdict(document), ensure_ascii=False) + "\n" for document in documents)
    file.write_text("".join(lines), encoding="utf-8", newline="")


def load_snapshot(path: str) -> list[Document]:
    """The documents as they were written, with the same `corpus_hash`."""
    with Path(path).open(encoding="utf-8", newline="\n") as file:  # no other line end ends a line
        return [_document(**json.loads(line)) for line in file]


def _document(sections: list[dict], groups: list[str], **fields: str) -> Document:
    parts = tuple(Section(**{**section, "path": tuple(section["path"])}) for section in sections)
    return Document(sections=parts, groups=tuple(groups), **fields)
