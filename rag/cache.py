"""A content-addressed store of model outputs: what has been computed once is never computed again.

The key of an entry is a hash of everything that determines its value, so entries are never stale and need no expiry.
They go when room is needed, those first that were not used for longest.
"""

import hashlib
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite
from pathlib import Path

import platformdirs

from rag.cache_schema import CHECK, is_whole, pragma, prepare, sealed, transaction
from rag.errors import InputError
from rag.in_use import hold

RESULTS = "cache.sqlite"
LOCK_SECONDS = 60.0
CHUNK = 500  # keys a query, below SQLite's limit on variables
DEFAULT_GB = 10.0
ENTRY_BYTES = 250  # what an entry takes beside its value
HALF_FULL = 2  # pages are at worst
EVICTED = 100  # entries a transaction, so that nobody waits long
ROOM = 0.01  # share of the limit that is free after an eviction, so that the next writes need none
LOG_BYTES = 2**26  # to which the write-ahead log shrinks


def cache_folder() -> Path:
    """The folder for everything that can be computed again: the environment's MESSLATTE_CACHE or the user's cache."""
    return Path(os.environ.get("MESSLATTE_CACHE") or platformdirs.user_cache_path("messlatte", appauthor=False))


def cache_limit() -> int:
    """How many bytes of entries are kept: the environment's MESSLATTE_CACHE_GB, else 10 GB."""
    stated = os.environ.get("MESSLATTE_CACHE_GB") or str(DEFAULT_GB)
    try:
        gigabytes = float(stated)
    except ValueError:
        gigabytes = 0.0
    if not isfinite(gigabytes) or gigabytes <= 0:
        raise InputError(f"MESSLATTE_CACHE_GB={stated}: must be a number of gigabytes above 0, such as 10 or 0.5")
    return int(gigabytes * 1e9)


def key(*parts: str) -> str:
    """The sha256 hex of all parts; each goes in with its length in front, so ("ab", "c") differs from ("a", "bc")."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def today() -> int:
    """Days since 1970 (UTC): fine enough to tell old entries from new, and reading writes once a day at most."""
    return int(time.time() // 86400)


class Cache:
    """Bytes by key in one SQLite file, which several processes and threads may use at the same time.

    `path` None: `cache.sqlite` in `cache_folder()`; `limit` None: `cache_limit()`, in bytes. A write is complete or
    absent, also after a crash. Before it would make the file larger than the limit, entries are evicted: the least
    recently used, to the day, and of one day those first that were stored first.
    Raises InputError if the file is not such a cache.
    """

    def __init__(self, path: Path | None = None, limit: int | None = None) -> None:
        self.path = path or cache_folder() / RESULTS
        self.limit = cache_limit() if limit is None else limit
        with self._usable():
            weakref.finalize(self, os.close, hold(self.path.parent))
            self._local = threading.local()
            prepare(self._database, self.path)

    @contextmanager
    def _usable(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.DatabaseError) as error:
            if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError):
                raise  # a fault of ours, not of the file
            raise InputError(
                f"{self.path}: not usable as a cache ({error}); delete it or set MESSLATTE_CACHE to another folder"
            ) from error

    @property
    def _database(self) -> sqlite3.Connection:
        """This thread's own connection: a transaction belongs to a connection, not to a thread."""
        if not hasattr(self._local, "connection"):
            self._local.connection = sqlite3.connect(self.path, timeout=LOCK_SECONDS, isolation_level=None)
            self._local.connection.execute("PRAGMA synchronous = NORMAL")
            self._local.connection.execute(f"PRAGMA journal_size_limit = {LOG_BYTES}")
        connection: sqlite3.Connection = self._local.connection
        return connection

    def get_many(self, keys: Sequence[str]) -> dict[str, bytes]:
        """The values of those keys that are stored. One that a failing disk has changed is deleted: it is not there."""
        found: dict[str, bytes] = {}
        with self._usable():
            for chunk in _chunks(keys):
                marks = ",".join("?" * len(chunk))
                rows = self._database.execute(
                    f"SELECT key, value, entry.rowid, day FROM entry LEFT JOIN used ON entry = entry.rowid"
                    f" WHERE key IN ({marks})",
                    chunk,
                ).fetchall()
                whole = {name: value[CHECK:] for name, value, _, _ in rows if is_whole(value)}
                found |= whole
                if old := [entry for name, _, entry, day in rows if name in whole and day != today()]:
                    self._stamp(old)
                if damaged := [(entry,) for name, _, entry, _ in rows if name not in whole]:
                    with transaction(self._database):
                        self._database.executemany("DELETE FROM entry WHERE rowid = ?", damaged)
        return found

    def put_many(self, items: Mapping[str, bytes]) -> None:
        """Store all items in one transaction. A key that is there already keeps its value: it can only be the same."""
        rows = [(name, sealed(value)) for name, value in items.items()]
        coming = HALF_FULL * sum(len(value) + ENTRY_BYTES for _, value in rows)
        allowed = self.limit
        with self._usable():
            while True:
                with transaction(self._database):
                    if self._bytes() + coming <= allowed or not self._evict():
                        self._database.executemany("INSERT OR IGNORE INTO entry VALUES (?, ?)", rows)
                        break
                allowed = int(self.limit * (1 - ROOM))
            if self._bytes(free=True) > self.limit:  # it was lowered
                self._database.executescript("PRAGMA incremental_vacuum")  # which execute() ends after one page

    def _evict(self) -> bool:
        """Delete the entries that were not used for longest; whether there were any."""
        gone = self._database.execute(
            "DELETE FROM entry WHERE rowid IN (SELECT entry FROM used ORDER BY day, entry LIMIT ?)", [EVICTED]
        ).rowcount
        return gone > 0

    def _stamp(self, entries: Sequence[int]) -> None:
        with transaction(self._database):
            self._database.executemany(
                "INSERT OR REPLACE INTO used SELECT rowid, ? FROM entry WHERE rowid = ?",
                [(today(), entry) for entry in entries],
            )

    def _bytes(self, free: bool = False) -> int:
        """What the pages take; free ones are used again."""
        pages = pragma(self._database, "page_count") - (0 if free else pragma(self._database, "freelist_count"))
        return pages * pragma(self._database, "page_size")

    def close(self) -> None:
        """Close this thread's connection."""
        self._database.close()


def _chunks(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    return (keys[start : start + CHUNK] for start in range(0, len(keys), CHUNK))
