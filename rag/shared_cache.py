"""The cache in a PostgreSQL table, for processes on several machines; `open_cache` chooses between it and the file."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rag.cache import CHUNK, Cache
from rag.errors import InputError

STORE = "MESSLATTE_CACHE_STORE"
"""Environment variable, as in postgresql://user@host/database; the password may stand in PGPASSWORD or ~/.pgpass."""


class SharedCache:
    """Bytes by key in the table `messlatte_cache`, made if it is not there. Any number of processes may use it at once.

    Unlike a file on a network drive, where SQLite's write-ahead log is not safe, a server orders the writes.
    Raises InputError if no PostgreSQL answers at the address.
    """

    def __init__(self, address: str) -> None:
        from sqlalchemy import Column, LargeBinary, MetaData, Table, Text, create_engine, text
        from sqlalchemy.exc import ArgumentError, SQLAlchemyError

        try:
            self._engine = create_engine(address, pool_pre_ping=True)
            if self._engine.dialect.name != "postgresql":
                raise ValueError("must be postgresql://user@host/database")
            self._table = Table(
                "messlatte_cache",
                MetaData(),
                Column("key", Text, primary_key=True),
                Column("value", LargeBinary, nullable=False),
            )
            with self._engine.begin() as connection:
                # Two first processes at once: one makes the table, the other waits and finds it.
                connection.execute(text("select pg_advisory_xact_lock(hashtext('messlatte_cache'))"))
                self._table.create(connection, checkfirst=True)
        except (ArgumentError, ImportError, SQLAlchemyError, ValueError) as error:
            reason = " ".join(str(error).split())[:300].replace(address, "...")
            raise InputError(f"{STORE}: not usable ({reason}); a PostgreSQL is wanted, see docs/scale.md") from error

    def get_many(self, keys: Sequence[str]) -> dict[str, bytes]:
        """The values of those keys that are stored."""
        from sqlalchemy import select

        found: dict[str, bytes] = {}
        with self._engine.connect() as connection:
            for chunk in _chunks(keys):
                rows = connection.execute(select(self._table).where(self._table.c.key.in_(chunk)))
                found.update((row.key, bytes(row.value)) for row in rows)
        return found

    def put_many(self, items: Mapping[str, bytes]) -> None:
        """Store all items in one transaction. A key that is there already keeps its value: it can only be the same."""
        from sqlalchemy.dialects.postgresql import insert

        rows = [{"key": key, "value": value} for key, value in sorted(items.items())]  # one order: no deadlocks
        if rows:
            with self._engine.begin() as connection:
                connection.execute(insert(self._table).on_conflict_do_nothing(), rows)

    @contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Held by one process at a time, on whatever machine; a process that dies lets go of it."""
        from sqlalchemy import text

        with self._engine.begin() as connection:
            connection.execute(text("select pg_advisory_xact_lock(hashtext(:name))"), {"name": name})
            yield


def open_cache() -> Any:
    """The store that the environment names, else the file in the cache's folder: both have get_many and put_many."""
    address = os.environ.get(STORE)
    return SharedCache(address) if address else Cache()


def _chunks(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    return (keys[start : start + CHUNK] for start in range(0, len(keys), CHUNK))
