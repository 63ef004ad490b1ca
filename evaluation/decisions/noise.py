"""When a difference is none."""

UNMEASURED = 0.03


def is_difference(difference: float, margin: float, judge_noise: float | None) -> bool:
    """Whether a difference is larger than the margin of error and at least the judge's noise, 0.03 if not measured."""
    return abs(difference) > margin and abs(difference) >= (UNMEASURED if judge_noise is None else judge_noise)
