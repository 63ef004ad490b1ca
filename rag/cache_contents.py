"""What the cache folder holds, and clearing it."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from rag.cache import RESULTS, cache_folder
from rag.cache_schema import is_ours, prepare
from rag.errors import InputError
from rag.in_use import LOCK, alone
from rag.once import LOCKS

LOGS = ("-wal", "-shm")
FOLDERS = {"models": "model"}  # what else we keep in the cache folder, a folder a kind: add yours
OTHER = "other"


@dataclass(frozen=True, slots=True)
class Item:
    """One thing in the folder; `bytes` are those that removing it gives back.

    Of the results `entries` are counted, None if the file is damaged, and `oldest` is the day on which the entry that
    is evicted next was last used.
    """

    kind: str
    path: Path
    bytes: int
    entries: int | None = 1
    oldest: date | None = None


def contents() -> list[Item]:
    """The results as one item, then each model, then what is not ours."""
    folder = cache_folder()
    return list(_items(folder)) if _is_there(folder) else []


def clear() -> list[Item]:
    """Remove all of `contents()` but what is not ours, and say what it was.

    Raises InputError, having removed nothing, while a process uses the folder.
    """
    folder = cache_folder()
    if not _is_there(folder):
        return []
    with alone(folder):
        removed = [item for item in _items(folder) if item.kind != OTHER]
        for item in removed:
            _remove(item.path)
        shutil.rmtree(folder / LOCKS, ignore_errors=True)
        if not (folder / RESULTS).exists():
            for log in LOGS:  # after their file: SQLite ignores them without it, but it may lack data without them
                (folder / f"{RESULTS}{log}").unlink(missing_ok=True)
    return removed


def _is_there(folder: Path) -> bool:
    if folder.exists() and not folder.is_dir():
        raise InputError(f"MESSLATTE_CACHE={folder}: a file, no folder")
    return folder.is_dir()


def _items(folder: Path) -> Iterator[Item]:
    known = {LOCK, LOCKS, *FOLDERS}
    if (results := folder / RESULTS).is_file() and is_ours(results):
        known |= {RESULTS, *(RESULTS + log for log in LOGS)}
        yield _results(results)
    for name, kind in FOLDERS.items():
        if (link := folder / name).is_symlink():  # whoever put the models elsewhere may share them
            yield Item("link", link, 0)
        elif link.is_dir():
            yield from (Item(kind, path, _size(path)) for path in sorted(link.iterdir()))
    yield from (Item(OTHER, path, _size(path)) for path in sorted(folder.iterdir()) if path.name not in known)


def _results(file: Path) -> Item:
    size = sum(_size(path) for path in (file, *(file.with_name(file.name + log) for log in LOGS)))
    try:
        with closing(sqlite3.connect(file)) as database:
            prepare(database, file)
            entries, day = database.execute("SELECT count(*), min(day) FROM used").fetchone()
    except (sqlite3.Error, InputError):
        return Item("results", file, size, None)
    return Item("results", file, size, entries, None if day is None else date(1970, 1, 1) + timedelta(days=day))


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.lstat().st_size for file in files if file.is_file())


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
