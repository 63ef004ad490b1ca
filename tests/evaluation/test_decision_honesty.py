"""The gate against sweeps of which the truth is known. Larger tables: docs/decisions.md."""

import numpy as np
import pytest
from simulated_sweeps import BETTER, DISCORDANT, KINDS, SHARE, Kind, judged, sweeps

from evaluation.decisions.gate import Outcomes, regressions

SWEEPS = 1000


@pytest.mark.parametrize("kind", KINDS)
def test_of_equal_points_at_most_five_percent_move_the_champion(kind: Kind) -> None:
    assert moved(kind, better=False) <= 0.05


@pytest.mark.parametrize(
    ("kind", "least"),
    [("inside", 0.8), ("axes", 0.8), ("alike", 0.8), ("unlike", 0.7)],  # 48 points with nothing in common cost more
)
def test_a_point_better_by_ten_points_moves_it_in_at_least_eighty_percent(kind: Kind, least: float) -> None:
    assert moved(kind, better=True) >= least


def moved(kind: Kind, better: bool) -> float:
    return np.mean([judged(sweep, seed).accepted for seed, sweep in enumerate(sweeps(kind, SWEEPS, better=better))])


@pytest.mark.parametrize("kind", KINDS)
def test_the_simulated_truth_is_what_it_says(kind: Kind) -> None:
    drawn = list(sweeps(kind, 100))
    assert np.mean([champion.mean() for champion, _ in drawn]) == pytest.approx(SHARE, abs=0.01)
    shares = np.mean([points.mean(axis=1) for _, points in drawn], axis=0)
    assert shares == pytest.approx(np.full(48, SHARE), abs=0.02)
    differing = np.mean([(points != champion).mean() for champion, points in drawn])
    assert differing < DISCORDANT if kind == "inside" else differing == pytest.approx(DISCORDANT, abs=0.005)


@pytest.mark.parametrize("kind", KINDS)
def test_the_better_point_is_better_by_ten_points(kind: Kind) -> None:
    gains = np.array([points[BETTER].astype(int) - champion for champion, points in sweeps(kind, 100, better=True)])
    assert ((gains > 0).mean(), (gains < 0).mean()) == pytest.approx((0.125, 0.025), abs=0.005)


def test_a_category_that_breaks_down_is_noticed() -> None:
    rng, noticed = np.random.default_rng(8), 0
    names = [str(i % 8) for i in range(200)]
    for _ in range(100):
        before = rng.random(200) < SHARE
        broken = before & ~((np.arange(200) % 8 == 3) & (rng.random(200) < 0.5))  # half of one category's right answers
        runs = [Outcomes(row.astype(float), ~row) for row in (before, broken)]
        noticed += any(not check.passed and check.name == "category 3" for check in regressions(*runs, names))
    assert noticed >= 90
