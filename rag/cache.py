"""A content-addressed store of model outputs: what has been computed once is never computed again.

The key of an entry is a hash of everything that determines its value, so entries are never stale and need no expiry.
"""

import hashlib
import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import platformdirs

from rag.errors import InputError

APPLICATION_ID = 0x4D4C4154  # "MLAT", tells our file from other SQLite files
VERSION = 1
LOCK_SECONDS = 60.0
CHUNK = 500  # keys a query, below SQLite's limit on variables


def cache_folder() -> Path:
    """The folder for everything that can be computed again: the environment's MESSLATTE_CACHE or the user's cache."""
    return Path(os.environ.get("MESSLATTE_CACHE") or platformdirs.user_cache_path("messlatte", appauthor=False))


def key(*parts: str) -> str:
    """The sha256 hex of all parts; each goes in with its length in front, so ("ab", "c") differs from ("a", "bc")."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


class Cache:
    """Bytes by key in one SQLite file, which several processes and threads may use at the same time.

    `path` None: `cache.sqlite` in `cache_folder()`. A write is complete or absent, also after a crash.
    Raises InputError if the file is not such a cache.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or cache_folder() / "cache.sqlite"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._local = threading.local()
            self._open()
        except (OSError, sqlite3.Error) as error:
            raise InputError(
                f"{self.path}: not usable as a cache ({error}); delete it or set MESSLATTE_CACHE to another folder"
            ) from error

    @property
    def _database(self) -> sqlite3.Connection:
        """This thread's own connection: a transaction belongs to a connection, not to a thread."""
        if not hasattr(self._local, "connection"):
            self._local.connection = sqlite3.connect(self.path, timeout=LOCK_SECONDS, isolation_level=None)
            self._local.connection.execute("PRAGMA synchronous = NORMAL")
        connection: sqlite3.Connection = self._local.connection
        return connection

    def _open(self) -> None:
        with self._transaction():
            (application,) = self._database.execute("PRAGMA application_id").fetchone()
            (version,) = self._database.execute("PRAGMA user_version").fetchone()
            (tables,) = self._database.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            if tables and application != APPLICATION_ID:
                raise InputError(f"{self.path}: a database, but not a cache of messlatte; choose another path")
            if tables and version != VERSION:
                raise InputError(f"{self.path}: cache version {version}, this release reads {VERSION}; delete the file")
            if not tables:
                self._database.execute("CREATE TABLE entry (key TEXT PRIMARY KEY, value BLOB NOT NULL)")
                self._database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                self._database.execute(f"PRAGMA user_version = {VERSION}")
        self._database.execute("PRAGMA journal_mode = WAL")

    def get_many(self, keys: Sequence[str]) -> dict[str, bytes]:
        """The values of those keys that are stored."""
        found: dict[str, bytes] = {}
        for chunk in _chunks(keys):
            marks = ",".join("?" * len(chunk))
            found.update(self._database.execute(f"SELECT key, value FROM entry WHERE key IN ({marks})", chunk))
        return found

    def put_many(self, items: Mapping[str, bytes]) -> None:
        """Store all items in one transaction. A key that is there already keeps its value: it can only be the same."""
        with self._transaction():
            self._database.executemany("INSERT OR IGNORE INTO entry VALUES (?, ?)", items.items())

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        with self._database:
            yield

    def close(self) -> None:
        """Close this thread's connection."""
        self._database.close()


def _chunks(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    return (keys[start : start + CHUNK] for start in range(0, len(keys), CHUNK))
