from math import sqrt

import pytest

from evaluation.decisions.noise import exceeds_noise
from evaluation.noise import noise
from rag.errors import InputError


def test_by_hand() -> None:
    # means 0.5, 0.75, 0.25: deviation sqrt((0 + 0.0625 + 0.0625) / 2) = 0.25; questions 2 and 3 of 4 change
    found = noise([[1, 0, 1, 0], [1, 1, 1, 0], [1, 0, 0, 0]])
    assert found == pytest.approx((0.5, sqrt(0.0625), 2 / 4, 2.8 * 0.25))


def test_a_judge_that_never_wavers_has_no_noise_even_if_questions_differ() -> None:
    assert noise([[1, 0, 0.5]] * 4) == pytest.approx((0.5, 0, 0, 0))


@pytest.mark.parametrize(
    ("difference", "limit", "found"),
    [
        (0.02, None, False),
        (0.04, None, True),
        (0.04, 0.05, False),
        (0.06, 0.05, True),
        (0, 0.0, False),
        (0.01, 0, True),
    ],
)
def test_what_counts_as_a_difference(difference: float, limit: float | None, found: bool) -> None:
    assert exceeds_noise(difference, limit) is found
    assert exceeds_noise(-difference, limit) is found


@pytest.mark.parametrize("repeats", [[], [[1.0]], [[], []]])
def test_too_little_to_measure(repeats: list[list[float]]) -> None:
    with pytest.raises(InputError, match="noise is measured with two or more"):
        noise(repeats)
