from pathlib import Path

import numpy as np
import pytest

from rag.cache import Cache
from rag.cached import cached_rows


def test_each_missing_key_is_computed_once_in_slices_and_in_order(tmp_path: Path) -> None:
    cache, calls, done = Cache(tmp_path / "c"), [], []

    def compute(positions: list[int]) -> np.ndarray:
        calls.append(positions)
        return np.array([[float(position), 0.5] for position in positions])

    rows = cached_rows(cache, ["a", "b", "a", "c"], compute, done.append, slice_size=2)
    assert [row.tolist() for row in rows] == [[0, 0.5], [1, 0.5], [0, 0.5], [3, 0.5]]
    assert calls == [[0, 1], [3]]
    assert done == [0, 3, 1]

    again = cached_rows(cache, ["c", "a"], compute)
    assert [row.tolist() for row in again] == [[3, 0.5], [0, 0.5]]
    assert len(calls) == 2


def test_an_interrupted_run_keeps_its_finished_slices(tmp_path: Path) -> None:
    cache, seen = Cache(tmp_path / "c"), []

    def compute(positions: list[int]) -> np.ndarray:
        if seen:
            raise KeyboardInterrupt
        seen.extend(positions)
        return np.ones((len(positions), 1))

    with pytest.raises(KeyboardInterrupt):
        cached_rows(cache, ["a", "b", "c"], compute, slice_size=2)
    assert len(cache.get_many(["a", "b", "c"])) == 2
