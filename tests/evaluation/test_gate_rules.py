"""Limits and regressions on values that can be counted by hand."""

import numpy as np
import pytest

from evaluation.decisions.intervals import Interval
from evaluation.decisions.regression import category_regressions, regression
from evaluation.decisions.thresholds import Threshold, kept, missing


@pytest.mark.parametrize(
    ("lowest", "value", "verdict", "reason"),
    [
        (True, 0.90, "passed", ""),  # at the limit is kept
        (True, 0.89, "failed", "misses it by 0.010"),
        (False, 0.90, "passed", ""),
        (False, 0.95, "failed", "misses it by 0.050"),
    ],
)
def test_the_value_itself_decides(lowest: bool, value: float, verdict: str, reason: str) -> None:
    found = kept(Threshold("recall_at_8", 0.90, lowest), value, None)
    assert (found.verdict, found.reason, found.limit) == (verdict, reason, ">= 0.900" if lowest else "<= 0.900")


def test_a_limit_within_the_interval_is_said_and_does_not_help() -> None:
    found = kept(Threshold("recall_at_8", 0.90, True), 0.89, Interval(0.85, 0.93))
    assert found.verdict == "failed"
    assert found.reason == "misses it by 0.010; the limit lies within the margin of error"


def test_no_value_fails_unless_nobody_asked_for_it() -> None:
    limit = Threshold("faithfulness", 0.8, True)
    assert missing(limit, "r", excused=True).verdict == "not measured"
    assert missing(limit, "r", excused=False).verdict == "failed"


def flips(n: int, lost: int, won: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """n questions that were right; `lost` of them no more, and `won` that were wrong and are right."""
    before, after = np.ones(n), np.ones(n)
    after[:lost], before[n - won :] = 0, 0
    return before, after


# One-sided, of lost questions alone: chance of k heads in k throws, 1/2 ** 4 = 0.0625 and 1/2 ** 5 = 0.031.
@pytest.mark.parametrize(("lost", "verdict"), [(0, "passed"), (4, "passed"), (5, "failed"), (12, "failed")])
def test_worse_by_more_than_chance_fails(lost: int, verdict: str) -> None:
    found = regression("correct", *flips(40, lost), None)
    assert found.verdict == verdict
    assert found.value == pytest.approx(-lost / 40)
    assert found.reason.startswith(f"{1 - lost / 40:.3f} after 1.000 on 40 questions")


def test_better_is_never_a_regression_and_more_wrong_answers_are() -> None:
    before, after = flips(40, 12)
    assert regression("correct", after, before, None).verdict == "passed"
    assert regression("wrong", before, after, None, higher_is_better=False).verdict == "passed"  # 12 fewer
    assert regression("wrong", after, before, None, higher_is_better=False).verdict == "failed"  # 12 more


def test_what_the_judge_varies_by_is_no_regression() -> None:
    before, after = flips(400, 10)  # 10 / 400 = 0.025
    assert regression("recall", before, after, 0.0).verdict == "failed"
    for noise, limit in ((None, "0.030"), (0.026, "0.026")):
        found = regression("correct", before, after, noise)
        assert found.verdict == "passed"
        assert found.reason.endswith(f"but below the judge's noise {limit}")


def test_categories_pay_for_their_number() -> None:
    before, after = flips(6, 6)  # 1/2 ** 6 = 0.0156: below 0.05 / 2, above 0.05 / 20
    same = np.ones(6)
    for number, verdict in ((2, "failed"), (20, "passed")):
        unchanged = [same] * (number - 1)
        names = [f"{n:02}" for n in range(number) for _ in same]
        first, *others = category_regressions(
            np.concatenate([before, *unchanged]), np.concatenate([after, *unchanged]), names, None
        )
        assert (first.name, first.verdict) == ("category 00", verdict)
        assert [own.verdict for own in others] == ["passed"] * (number - 1)
