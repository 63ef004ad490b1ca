"""A run as the store holds it."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Run:
    """A run as the store holds it. `reused`: computed before the sweep that lists it."""

    id: str
    name: str
    status: str
    params: dict[str, str]
    metrics: dict[str, float]
    tags: dict[str, str]
    reused: bool = False


def record(run: Any, reused: bool = False) -> Run:
    info, data = run.info, run.data
    return Run(info.run_id, info.run_name, info.status, data.params, data.metrics, data.tags, reused)
