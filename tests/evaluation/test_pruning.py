import numpy as np
import pytest

from evaluation.decisions.pruning import excluded


def outcomes(better: int, worse: int, both: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """A leader and a setting: questions that only the leader gets right, that only the setting does, that both do."""
    leader = [1.0] * better + [0.0] * worse + [1.0] * both
    setting = [0.0] * better + [1.0] * worse + [1.0] * both
    return np.array(leader), np.array(setting)


@pytest.mark.parametrize(
    ("better", "worse", "left"),
    [
        (4, 0, False),  # a coin says so in 1 / 2**4 = 0.0625
        (5, 0, True),  # 1 / 2**5 = 0.031, below the 0.04 that max-T takes for 5 %
        (6, 1, False),  # (1 + 7) / 2**7 = 0.0625
        (8, 1, True),  # (1 + 9) / 2**9 = 0.0195
        (10, 2, True),  # (1 + 12 + 66) / 2**12 = 0.0193
        (8, 2, False),  # (1 + 10 + 45) / 2**10 = 0.0547
        (0, 8, False),  # the setting is the better one
        (0, 0, False),
    ],
)
def test_a_setting_is_left_when_a_coin_would_hardly_say_the_same(better: int, worse: int, left: bool) -> None:
    leader, setting = outcomes(better, worse)
    assert (excluded(leader[None], setting) is not None) == left


def test_it_says_how_far_and_how_surely_behind() -> None:
    leader, setting = outcomes(8, 1, both=3)
    found = excluded(leader[None], setting)
    assert found is not None
    assert found.difference == pytest.approx((8 - 1) / 12)
    # Of 9 signs at most 4 % sum to more than 5: (1 + 9) / 2**9 for 7 or more, (1 + 9 + 36) / 2**9 = 0.09 for 5 or more.
    assert found.margin == pytest.approx(5 / 12, abs=1e-3)


def test_the_leader_that_leads_most_surely_is_named() -> None:
    far, setting = outcomes(8, 0, both=4)
    near = setting.copy()
    near[:3] = 1
    found = excluded(np.stack([near, setting, far]), setting)
    assert found is not None
    assert found.leader == 2


def test_no_question_counts_twice_for_two_leaders_that_answer_alike() -> None:
    """Eight copies of a leader are one race, not eight: what one may say, all of them may."""
    leader, setting = outcomes(5, 0)
    assert excluded(np.stack([leader] * 8), setting) is not None


def test_a_setting_as_good_as_the_leaders_is_left_in_5_percent() -> None:
    """400 settings against three leaders, 60 questions, each right on half: at most 0.05 and three errors of it."""
    random = np.random.default_rng(7)
    left = 0
    for _ in range(400):
        hard = random.random(60)
        rows = (random.random((4, 60)) * 0.6 + 0.2 < hard).astype(float)
        left += excluded(rows[1:], rows[0]) is not None
    assert 1 <= left <= 400 * (0.05 + 3 * (0.05 * 0.95 / 400) ** 0.5)
