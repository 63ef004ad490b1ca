"""Runs that were measured before and are points of the space."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

from pipelines.config import CONF
from pipelines.fingerprint import code_hash
from pipelines.search.front import usable
from pipelines.search.settings import Settings
from pipelines.search.space import Axis, Space
from pipelines.tracking import FINGERPRINT, Run, Tracking


def earlier(
    space: Space, settings: Settings, store: Tracking, identity: Callable[[Sequence[str]], str | None]
) -> Iterator[tuple[Run, dict[str, Any]]]:
    """Each of them once, the latest run of it, with what was chosen on each axis. `identity`: overrides -> fingerprint.

    What a run's parameters say of an axis is only a guess at its place; that its fingerprint is the same decides.
    """
    seen: set[str] = set()
    for run in reversed(store.all_points()):
        known = run.tags.get(FINGERPRINT, "")
        if known in seen or run.tags.get("code_hash") != code_hash() or not usable(run, settings):
            continue
        for values in product(*(_guesses(axis, run) for axis in space.axes)):
            chosen = {axis.key: value for axis, value in zip(space.axes, values, strict=True)}
            if identity(space.overrides(chosen)) == known:
                seen.add(known)
                yield run, chosen
                break


def _guesses(axis: Axis, run: Run) -> Sequence[Any]:
    """Of a part all choices, as a run does not say how its file is called; of a value the run's own."""
    if (CONF / axis.key).is_dir():
        return range(len(axis.values))
    if axis.key not in run.params:  # of a part that is switched off: any value makes the same point
        return [axis.first]
    value = axis.chosen(run.params[axis.key])
    return [] if value is None else [value]
