"""When a difference is none."""

UNMEASURED = 0.03  # differences below this count as none while the judge's noise is not measured


def noise_limit(judge_noise: float | None) -> float:
    """The judge's noise as it was measured, else 0.03."""
    return UNMEASURED if judge_noise is None else judge_noise


def exceeds_noise(difference: float, judge_noise: float | None) -> bool:
    """Whether a difference is as large as the judge's noise. None: it was not measured."""
    return difference != 0 and abs(difference) >= noise_limit(judge_noise)


def is_difference(difference: float, margin: float, judge_noise: float | None) -> bool:
    """Whether a difference is larger than the margin of error and at least the judge's noise, 0.03 if not measured."""
    return abs(difference) > margin and exceeds_noise(difference, judge_noise)
