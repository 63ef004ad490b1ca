from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluation.judges import Deterministic
from evaluation.labels import label_all
from evaluation.records import Question
from evaluation.threshold import NEVER, Case, Effect, auc, candidates, choose, closest, effect, label_at, trade_off
from rag.records import Answer

# By strength: wrong, unanswerable and answered, partly, unanswerable and declined by its generator, correct.
CASES = [
    Case(0.80, True, "wrong"),
    Case(0.82, False, "wrong"),
    Case(0.84, True, "partly"),
    Case(0.86, False, "correct"),
    Case(0.88, True, "correct"),
]


def test_what_every_threshold_does() -> None:
    # threshold, answerable, unanswerable, correct, partly, wrong, declined, answered
    assert trade_off(CASES) == [
        Effect(NEVER, 3, 2, 2, 1, 2, 0, 1),
        Effect(0.81, 3, 2, 2, 1, 1, 1, 1),
        Effect(0.83, 3, 2, 3, 1, 0, 1, 0),
        Effect(0.85, 3, 2, 3, 0, 0, 2, 0),
        Effect(0.87, 3, 2, 3, 0, 0, 2, 0),
    ]
    assert [own.wrong_rate for own in trade_off(CASES)] == [2 / 5, 1 / 5, 0, 0, 0]
    assert [own.answers for own in trade_off(CASES)] == [3 - 0 + 1, 3 - 1 + 1, 3 - 1, 3 - 2, 3 - 2]


@pytest.mark.parametrize(("strength", "declined"), [(0.8299, True), (0.83, False)])
@pytest.mark.parametrize("answerable", [True, False])
def test_a_label_is_what_the_rules_give_to_a_declined_answer(strength: float, declined: bool, answerable: bool) -> None:
    question = Question("q", "?", "14 EUR", answerable=answerable)
    given_, none = Answer("14 EUR [1]", (1,), False), Answer("", (), True)
    without, ruled = (label_all([question], [a], [()], {"q": ()}, Deterministic())[0].label for a in (given_, none))
    assert without
    assert label_at(Case(strength, answerable, without), 0.83) == (ruled if declined else without)


@pytest.mark.parametrize(
    ("strengths", "between"),
    [
        ([0.8], []),
        ([0.9, 0.8, 0.8], [0.85]),
        ([0.8123, 0.8125], [0.8124]),
        ([0.81231, 0.81239], [0.81235]),  # 0.8123 and 0.8124 lie outside
        ([0.8000001, 0.8000003], []),  # not parted by six decimals
    ],
)
def test_candidates_part_neighbours_with_few_decimals(strengths: list[float], between: list[float]) -> None:
    assert candidates(strengths) == [NEVER, *between]


def made(threshold: float, correct: int, wrong: int, declined: int) -> Effect:
    return Effect(threshold, 8, 2, correct, 10 - correct - wrong - declined, wrong, declined, 0)


NONE, SOME, MANY = made(-1, 6, 3, 0), made(0.8, 6, 2, 1), made(0.9, 4, 0, 5)


def test_most_correct_within_the_limit_then_fewest_declined_then_the_lowest() -> None:
    assert choose([NONE, SOME, MANY], 0.3) == NONE
    assert choose([NONE, SOME, MANY], 0.2) == SOME  # 2 / 10 is at the limit
    assert choose([NONE, SOME, MANY], 0.19) == MANY
    assert choose([NONE, SOME], 0.1) is None
    assert choose([replace(SOME, threshold=0.85), SOME], 0.2) == SOME


def test_the_closest_has_fewest_wrong_then_most_correct() -> None:
    assert closest([NONE, SOME, made(0.85, 5, 2, 2)]) == SOME


LABELS = st.sampled_from(["correct", "partly", "wrong", "declined"])
SOME_CASES = st.lists(
    st.builds(
        lambda strength, answerable, label: Case(
            strength / 1000, answerable, label if answerable else {"correct": "correct"}.get(label, "wrong")
        ),
        st.integers(-1000, 1000),
        st.booleans(),
        LABELS,
    ),
    min_size=1,
)


@given(SOME_CASES)
def test_a_higher_threshold_declines_more_and_errs_less(cases: list[Case]) -> None:
    effects = trade_off(cases)
    assert effects[0].wrong == sum(case.label == "wrong" for case in cases)  # never to decline is among them
    assert len(effects) <= len(cases)
    for low, high in pairwise(effects):
        assert low.threshold < high.threshold
        assert low.declined <= high.declined
        assert low.answered >= high.answered
        assert low.wrong >= high.wrong
    for own in effects:
        assert own.correct + own.partly + own.wrong + own.declined == own.n == len(cases)


@given(SOME_CASES, st.floats(-1, 1))
def test_every_threshold_does_what_a_candidate_does_or_declines_everything(cases: list[Case], value: float) -> None:
    all_declined = value > max(case.strength for case in cases)
    numbers = [replace(own, threshold=value) for own in trade_off(cases)]
    assert all_declined or effect(cases, value) in numbers


@given(SOME_CASES, st.floats(0, 1))
def test_no_other_that_keeps_the_limit_has_more_correct(cases: list[Case], limit: float) -> None:
    effects = trade_off(cases)
    chosen = choose(effects, limit)
    kept = [own for own in effects if own.wrong / len(cases) <= limit]
    assert (chosen is None) == (not kept)
    if chosen:
        assert chosen in kept
        assert chosen.correct == max(own.correct for own in kept)


@given(st.lists(st.integers(0, 5), min_size=1), st.lists(st.integers(0, 5), min_size=1))
def test_auc_is_mann_whitneys_u_as_a_share_of_pairs(strong: list[int], weak: list[int]) -> None:
    cases = [Case(own / 5, True, "correct") for own in strong] + [Case(own / 5, False, "wrong") for own in weak]
    u = stats.mannwhitneyu(strong, weak).statistic
    assert auc(cases) == pytest.approx(u / (len(strong) * len(weak)))
