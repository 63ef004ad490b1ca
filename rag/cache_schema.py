"""The tables of the cache's file."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zlib import crc32

from rag.errors import InputError

APPLICATION_ID = 0x4D4C4154  # "MLAT", tells our file from other SQLite files
VERSION = 2  # raised when older releases could not use the file any more; 1 had no checksums
CHECK = 4  # bytes of the checksum in front of a value: SQLite does not notice when a disk has changed a byte

ENTRIES = "CREATE TABLE entry (key TEXT PRIMARY KEY, value BLOB NOT NULL)"
# The day of use has a table of its own, so that a day's first look at an entry rewrites a few bytes and not its value.
# Files of releases that kept no days get it when they are opened. Triggers fill it.
USES = (
    "CREATE TABLE used (entry INTEGER PRIMARY KEY, day INTEGER NOT NULL)",
    "INSERT INTO used SELECT rowid, unixepoch() / 86400 FROM entry",
    "CREATE INDEX used_day ON used (day)",
    "CREATE TRIGGER entry_put AFTER INSERT ON entry"
    " BEGIN INSERT OR REPLACE INTO used VALUES (new.rowid, unixepoch() / 86400); END",
    "CREATE TRIGGER entry_gone AFTER DELETE ON entry BEGIN DELETE FROM used WHERE entry = old.rowid; END",
)


def prepare(database: sqlite3.Connection, path: Path) -> None:
    """Make the tables that are missing. Raises InputError if the file is not such a cache."""
    database.execute("PRAGMA auto_vacuum = INCREMENTAL")  # only of a file that is made now
    with transaction(database):
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_schema")}
        version = pragma(database, "user_version")
        if tables and pragma(database, "application_id") != APPLICATION_ID:
            raise InputError(f"{path}: a database, but not a cache of messlatte; choose another path")
        if tables and version not in (1, VERSION):
            raise InputError(f"{path}: cache version {version}, this release reads {VERSION}; delete the file")
        if not tables:
            database.execute(ENTRIES)
            database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        elif version == 1:
            database.create_function("sealed", 1, sealed)
            database.execute("UPDATE entry SET value = sealed(value)")
        database.execute(f"PRAGMA user_version = {VERSION}")
        if "used" not in tables:
            for statement in USES:
                database.execute(statement)
    database.execute("PRAGMA journal_mode = WAL")


def sealed(value: bytes) -> bytes:
    return crc32(value).to_bytes(CHECK, "little") + value


def is_whole(stored: bytes) -> bool:
    return stored == sealed(stored[CHECK:])


def is_ours(path: Path) -> bool:
    """Whether the file is a cache of any version, readable or not: told by its header (sqlite.org/fileformat.html)."""
    with path.open("rb") as file:
        header = file.read(72)
    return not header or header[68:] == APPLICATION_ID.to_bytes(4, "big")


def pragma(database: sqlite3.Connection, name: str) -> int:
    (value,) = database.execute(f"PRAGMA {name}").fetchone()
    return int(value)


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    database.execute("BEGIN IMMEDIATE")
    with database:
        yield
