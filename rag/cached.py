"""Rows of numbers through the cache: look up, compute what is missing, store it slice by slice."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

SLICE = 128  # rows computed between two writes: what an interrupted run loses at most, and how often progress is told


class Store(Protocol):
    """Bytes by key: a `Cache`, or a `SharedCache`."""

    def get_many(self, keys: Sequence[str]) -> dict[str, bytes]: ...

    def put_many(self, items: Mapping[str, bytes]) -> None: ...


Progress = Callable[[int], object]
"""Called with the number of rows newly done, so that `tqdm(...).update` fits."""


def cached_rows(
    cache: Store,
    keys: Sequence[str],
    compute: Callable[[list[int]], np.ndarray],
    progress: Progress | None = None,
    slice_size: int = SLICE,
    lengths: Sequence[int] | None = None,
) -> list[np.ndarray]:
    """A float32 row for every key, in order.

    `compute` gets positions in `keys`, each missing key once, and returns a row for each of them (2-D). `lengths`: of
    what is read for each key; the longest come first, so that a slice holds like lengths and its batches less padding.
    """
    wanted = Counter(keys)
    rows = {key: np.frombuffer(value, "<f4") for key, value in cache.get_many(list(wanted)).items()}
    if progress:
        progress(sum(wanted[key] for key in rows))
    first = {key: position for position, key in reversed(list(enumerate(keys)))}
    missing = [(first[key], key) for key in wanted if key not in rows]
    if lengths is not None:
        missing.sort(key=lambda own: -lengths[own[0]])
    for start in range(0, len(missing), slice_size):
        part = missing[start : start + slice_size]
        computed = compute([position for position, _ in part]).astype("<f4", copy=False)
        fresh = {key: row for (_, key), row in zip(part, computed, strict=True)}
        cache.put_many({key: row.tobytes() for key, row in fresh.items()})
        rows.update(fresh)
        if progress:
            progress(sum(wanted[key] for key in fresh))
    return [rows[key] for key in keys]
