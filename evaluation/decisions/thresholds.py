"""Limits that a measure must keep."""

from dataclasses import dataclass

from evaluation.decisions.findings import Finding, Verdict
from evaluation.decisions.intervals import Interval

GROUP = "threshold"


@dataclass(frozen=True, slots=True)
class Threshold:
    """`metric` must be at least `value` (`lowest`), else at most."""

    metric: str
    value: float
    lowest: bool

    @property
    def limit(self) -> str:
        return f"{'>=' if self.lowest else '<='} {self.value:.3f}"


def kept(threshold: Threshold, value: float, interval: Interval | None) -> Finding:
    """The value itself decides; the interval says how sure that is."""
    missed = threshold.value - value if threshold.lowest else value - threshold.value
    said = [f"misses it by {missed:.3f}"] if missed > 0 else []
    if interval and interval.low <= threshold.value <= interval.high:
        said.append("the limit lies within the margin of error")
    verdict: Verdict = "failed" if missed > 0 else "passed"
    return Finding(GROUP, threshold.metric, value, interval, threshold.limit, verdict, "; ".join(said))


def missing(threshold: Threshold, reason: str, excused: bool) -> Finding:
    """There is no value. `excused`: nobody asked for it, which is said and does not fail."""
    verdict: Verdict = "not measured" if excused else "failed"
    return Finding(GROUP, threshold.metric, None, None, threshold.limit, verdict, reason)
