"""A run as the store holds it."""

from dataclasses import dataclass
from typing import Any

from pipelines.tracking.logged_names import plain


@dataclass(frozen=True, slots=True)
class Run:
    """A run as the store holds it, but for the prefixes of names. `started`: milliseconds since 1970.

    `reused`: computed before the sweep that lists it.
    """

    id: str
    name: str
    status: str
    params: dict[str, str]
    metrics: dict[str, float]
    tags: dict[str, str]
    started: int = 0
    reused: bool = False


def record(run: Any) -> Run:
    info, data = run.info, run.data
    metrics = plain(data.metrics)
    return Run(info.run_id, info.run_name, info.status, plain(data.params), metrics, data.tags, info.start_time)
