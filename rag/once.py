"""What several processes need at the same time is computed by one of them; the others wait and find it in the cache."""

from collections.abc import Iterator
from contextlib import contextmanager

from rag.cache import Cache, key
from rag.shared_cache import SharedCache

LOCKS = "locks"  # folder beside the cache


@contextmanager
def once(cache: Cache | SharedCache, name: str) -> Iterator[None]:
    """Held by one process at a time among those that share the cache; a process that dies lets go of it."""
    if isinstance(cache, SharedCache):
        with cache.lock(name):
            yield
    else:
        from filelock import FileLock

        folder = cache.path.parent / LOCKS
        folder.mkdir(exist_ok=True)
        with FileLock(folder / key(name)):
            yield
