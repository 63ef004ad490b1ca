import math
from functools import cache

import numpy as np
import pytest
from scipy import stats

from evaluation.decisions.intervals import difference_interval, mean_interval, share_interval


def wilson(k: int, n: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """(p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)"""
    p = k / n
    centre, half = p + z**2 / (2 * n), z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    return (centre - half) / (1 + z**2 / n), (centre + half) / (1 + z**2 / n)


@pytest.mark.parametrize(("k", "n"), [(160, 200), (0, 20), (20, 20), (1, 3), (81, 263)])
def test_a_share_has_wilsons_interval(k: int, n: int) -> None:
    assert share_interval(k, n) == pytest.approx(wilson(k, n))


def test_the_published_example() -> None:
    # Newcombe, Statistics in Medicine 17 (1998), table I, method 3: 81 of 263
    assert share_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)


def test_a_mean_has_nearly_the_interval_of_students_t() -> None:
    values = np.tile([0.0, 0.5, 1.0, 1.0], 50)
    assert mean_interval(values) == pytest.approx(
        stats.t.interval(0.95, 199, values.mean(), stats.sem(values)), abs=0.005
    )


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_perfect_mean_is_not_certain(value: float) -> None:
    assert mean_interval(np.full(20, value)) == share_interval(int(20 * value), 20)


def test_equal_differences_have_no_width() -> None:
    assert difference_interval(np.zeros(20)) == (0, 0)


@pytest.mark.parametrize("values", [[0, 1], [1, 1, 0], [0.5, 0.5, 1], [0] * 99 + [1], [1] * 99 + [0]])
def test_few_or_lopsided_values_have_an_interval(values: list[float]) -> None:
    low, high = mean_interval(np.array(values, dtype=float))
    assert 0 <= low < high <= 1
    assert low <= np.mean(values) <= high


def test_the_same_values_have_the_same_interval() -> None:
    values = np.linspace(0, 1, 30)
    assert mean_interval(values) == mean_interval(values)


def test_intervals_of_shares_contain_the_truth_in_95_percent_of_draws() -> None:
    rng = np.random.default_rng(1)
    truths, sizes = rng.uniform(0.5, 0.95, 10_000), rng.choice(np.arange(50, 301, 25), 10_000)
    interval = cache(share_interval)
    bounds = [interval(int(k), int(n)) for k, n in zip(rng.binomial(sizes, truths), sizes, strict=True)]
    held = [low <= truth <= high for (low, high), truth in zip(bounds, truths, strict=True)]
    assert 0.94 <= np.mean(held) <= 0.965


def test_intervals_of_means_contain_the_truth_in_94_to_96_5_percent_of_draws() -> None:
    # recall of questions with two pieces of evidence: neither, one or both are found
    rng, held = np.random.default_rng(2), []
    for _ in range(1000):
        share, n = rng.uniform(0.5, 0.95), int(rng.integers(50, 301))
        chances = [0.7 * (1 - share), 0.6 * (1 - share), 1 - 1.3 * (1 - share)]
        values = rng.choice([0, 0.5, 1], n, p=chances)
        low, high = mean_interval(values)
        held.append(low <= share <= high)  # 0.5 * 0.6 * (1 - share) + 1 - 1.3 * (1 - share) = share
    assert 0.94 <= np.mean(held) <= 0.965
