"""What a gate found out: a row of its table."""

from dataclasses import dataclass
from typing import Literal

from evaluation.decisions.intervals import Interval

Verdict = Literal["passed", "failed", "not measured"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`group`: what kind of check. `value`: the measure, of a regression its change; None: there is none."""

    group: str
    name: str
    value: float | None
    interval: Interval | None
    limit: str
    verdict: Verdict
    reason: str
