"""Pareto front, effects of axes, flip list, noise and the score of a chosen run."""

import numpy as np
import pytest

from evaluation.decisions.axes import main_effects
from evaluation.decisions.chosen import corrected_score
from evaluation.decisions.flip_list import Answered, direction, flip_list
from evaluation.decisions.noise import is_difference
from evaluation.decisions.pareto import pareto_front
from evaluation.records import Label
from rag.errors import InputError


def test_a_run_beaten_in_everything_is_not_on_the_front() -> None:
    costs = np.array(  # minus quality, milliseconds, tokens
        [
            [-0.8, 100, 500],
            [-0.8, 100, 500],  # a twin beats nobody
            [-0.7, 50, 500],  # fast
            [-0.7, 60, 400],  # short
            [-0.7, 60, 500],  # beaten by both of them
            [-0.9, 900, 900],  # best
        ]
    )
    assert pareto_front(costs).tolist() == [True, True, True, True, False, True]


def test_an_effect_is_the_mean_difference_over_the_rest() -> None:
    settings = [{"size": size, "top_k": k} for size in (256, 512) for k in (4, 8)]
    scores = np.array([[0, 0], [1, 0], [1, 0], [1, 1]], dtype=float)
    size, top_k = main_effects(settings, scores)
    # 512 - 256: at 4 (1, 0), at 8 (0, 1), so (1/2, 1/2) by question
    assert (size.axis, size.level, size.reference, size.pairs) == ("size", 512, 256, 2)
    assert (size.difference, size.interval) == (0.5, (0.5, 0.5))
    # 8 - 4: at 256 (1, 0), at 512 (0, 1)
    assert (top_k.level, top_k.reference, top_k.difference) == (8, 4, 0.5)


def test_a_missing_point_does_not_tilt_an_effect() -> None:
    # the point that failed is the weak one of 512, so that plain means would favour 512
    settings = [{"size": 256, "model": "a"}, {"size": 256, "model": "b"}, {"size": 512, "model": "b"}]
    scores = np.array([[0.0] * 4, [1.0] * 4, [1.0] * 4])
    size, model = main_effects(settings, scores)
    assert (size.difference, size.pairs) == (0, 1)
    assert (model.difference, model.pairs) == (1, 1)


def test_levels_that_share_no_combination_have_no_effect() -> None:
    settings = [{"size": 256, "model": "a"}, {"size": 512, "model": "b"}]
    assert main_effects(settings, np.zeros((2, 4))) == []


def test_points_that_repeat_a_setting_are_one() -> None:
    settings = [{"size": 256}, {"size": 512}, {"size": 512}]
    (effect,) = main_effects(settings, np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]))
    assert (effect.difference, effect.pairs) == (0.5, 1)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("wrong", "correct", "better"),
        ("wrong", "declined", "better"),
        ("wrong", "partly", "better"),
        ("partly", "correct", "better"),
        ("declined", "correct", "better"),
        ("declined", "partly", "same"),
        ("correct", "correct", "same"),
    ],
)
def test_the_order_of_labels(before: Label, after: Label, expected: str) -> None:
    assert direction(before, after) == expected
    assert direction(after, before) == {"better": "worse", "same": "same"}[expected]


def answered(id: str, label: Label) -> Answered:
    return Answered(id, f"Frage {id}?", "urlaub", label, "", "Antwort")


def test_flips_follow_the_first_run_whatever_the_order_of_the_second() -> None:
    flips = flip_list(
        [answered("a", "wrong"), answered("b", "correct")], [answered("b", "partly"), answered("a", "declined")]
    )
    assert [(flip.before.id, flip.after.id, flip.direction) for flip in flips] == [
        ("a", "a", "better"),
        ("b", "b", "worse"),
    ]


@pytest.mark.parametrize("ids", ["a", "abc"])
def test_runs_of_different_questions_are_refused(ids: str) -> None:
    with pytest.raises(InputError, match=r"question '[bc]' is in one of the two runs only"):
        flip_list([answered("a", "wrong"), answered("b", "wrong")], [answered(id, "wrong") for id in ids])


@pytest.mark.parametrize(
    ("difference", "margin", "judge_noise", "expected"),
    [
        (0.05, 0.04, None, True),
        (0.04, 0.04, None, False),  # not more than the margin
        (0.025, 0.01, None, False),  # below 0.03
        (0.025, 0.01, 0.02, True),  # the judge was measured
        (0.05, 0.01, 0.06, False),
        (-0.05, 0.04, None, True),
        (0.0, 0.0, 0.0, False),
    ],
)
def test_noise(difference: float, margin: float, judge_noise: float | None, expected: bool) -> None:
    assert is_difference(difference, margin, judge_noise) is expected


def test_a_single_run_was_not_chosen_and_loses_nothing() -> None:
    scores = np.repeat([1.0, 0.0], [70, 30])[None]
    assert corrected_score(scores) == pytest.approx(0.7, abs=0.005)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_few_questions_that_may_all_be_drawn_are_corrected_too(n: int) -> None:
    assert corrected_score(np.ones((2, n))) == 1


def test_the_best_of_many_equal_runs_is_corrected_to_their_truth() -> None:
    rng, raw, corrected = np.random.default_rng(7), [], []
    for _ in range(40):
        scores = (rng.random((48, 100)) < 0.7).astype(float)
        raw.append(scores.mean(axis=1).max())
        corrected.append(corrected_score(scores))
    # the expected largest of 48 normal values is 2.2 standard deviations up: 2.2 * sqrt(.7 * .3 / 100) = 0.10
    assert np.mean(raw) == pytest.approx(0.8, abs=0.02)
    assert np.mean(corrected) == pytest.approx(0.7, abs=0.02)
