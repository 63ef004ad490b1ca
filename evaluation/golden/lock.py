"""The lock beside a golden set: what the referenced sections were when the questions were last validated."""

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from evaluation.golden.context import context
from evaluation.records import Evidence, Question
from rag.errors import InputError
from rag.jsontext import parse, read_text
from rag.records import Document


@dataclass(frozen=True, slots=True)
class Locked:
    """SHA-256 (hex) of the sections a question refers to, and its `last_validated` at that time ("" for none)."""

    text: str
    last_validated: str


@dataclass(frozen=True, slots=True)
class Staleness:
    """Question ids by the state of their referenced text against the lock.

    stale: changed, nobody has looked; revalidated: changed, but `last_validated` too: lock again; unlocked: unknown.
    """

    stale: tuple[str, ...]
    revalidated: tuple[str, ...]
    unlocked: tuple[str, ...]


def lock_path(golden: str) -> str:
    """`<file>.lock.json` beside the set (file or folder)."""
    return f"{golden.rstrip('/')}.lock.json"


def locked_texts(
    questions: Iterable[Question], evidence: Mapping[str, Sequence[Evidence]], documents: Iterable[Document]
) -> dict[str, Locked]:
    """The lock of the questions that have evidence, over the whole sections that it lies in.

    White space and Unicode form of the text do not matter.
    """
    by_id = {document.id: document for document in documents}
    lock = {}
    for question in questions:
        if pieces := evidence.get(question.id):
            referenced = "\n".join(_plain(context(piece, by_id[piece.document])) for piece in pieces)
            validated = dict(question.metadata).get("last_validated", "")
            lock[question.id] = Locked(hashlib.sha256(referenced.encode()).hexdigest(), validated)
    return lock


def compare(now: Mapping[str, Locked], lock: Mapping[str, Locked]) -> Staleness:
    """What has changed since the lock was written."""
    changed = [id for id in now if id in lock and now[id].text != lock[id].text]
    return Staleness(
        stale=tuple(id for id in changed if now[id].last_validated == lock[id].last_validated),
        revalidated=tuple(id for id in changed if now[id].last_validated != lock[id].last_validated),
        unlocked=tuple(id for id in now if id not in lock),
    )


def write_lock(golden: str, lock: Mapping[str, Locked]) -> str:
    """Write the lock beside the set, one question a line, so that a diff shows which changed; returns its path.

    Raises InputError where it cannot be written.
    """
    entries = ",\n".join(f"{json.dumps(id, ensure_ascii=False)}: {json.dumps(asdict(lock[id]))}" for id in sorted(lock))
    path = lock_path(golden)
    try:
        Path(path).write_text(f"{{\n{entries}\n}}\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}); a lock needs a local golden set") from None
    return path


def read_lock(golden: str) -> dict[str, Locked]:
    """The lock beside the set, {} where there is none. Raises InputError when it is damaged."""
    path = lock_path(golden)
    if not Path(path).exists():
        return {}
    text = read_text(path)
    try:
        value = parse(text)
        if not isinstance(value, dict):
            raise ValueError("not an object")
        return {id: Locked(str(entry["text"]), str(entry["last_validated"])) for id, entry in value.items()}
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: not a lock file ({error}); write it anew: python -m pipelines.golden lock") from None


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())
