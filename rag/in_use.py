"""Who uses the cache folder: every process that does holds a shared lock, which the system frees when it ends."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from rag.errors import InputError

LOCK = "in-use.lock"


def hold(folder: Path) -> int:
    """Keeps `folder` from being cleared until the returned file descriptor is closed; waits while it is cleared."""
    return _locked(folder, fcntl.LOCK_SH)


@cache
def hold_to_the_end(folder: Path) -> int:
    """`hold` until this process ends: of a model's folder nobody knows when it is read for the last time."""
    return hold(folder)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Nobody else uses `folder` meanwhile. Raises InputError if somebody does."""
    try:
        lock = _locked(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        reason = "in use by another process, such as a sweep or a served model; let it end first"
        raise InputError(f"{folder}: {reason}; nothing was removed") from error
    try:
        yield
    finally:
        os.close(lock)


def _locked(folder: Path, mode: int) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, mode)
    except BaseException:
        os.close(lock)
        raise
    return lock
