from dataclasses import replace

import numpy as np
import pytest

from evaluation.decisions.gate import Conditions, Outcomes, decide, regressions

CONDITIONS = Conditions(
    measured=100, questions=100, judge="deterministic", champion_judge="deterministic", judge_validated=True
)
CATEGORIES = ["preise"] * 50 + ["urlaub"] * 50


def run(*right: tuple[int, int], wrong: int = 0) -> Outcomes:
    """Right on these ranges of 100 questions; the last `wrong` questions are answered wrongly."""
    objective = np.zeros(100)
    for start, end in right:
        objective[start:end] = 1
    return Outcomes(objective, np.arange(100) >= 100 - wrong)


CHAMPION = run((0, 30), (50, 80))  # 60 of 100
BETTER = run((0, 40), (50, 90))  # 80: 20 better, none worse


def test_a_better_run_is_accepted_and_the_reason_names_the_numbers() -> None:
    decision = decide(CHAMPION, [CHAMPION, BETTER], CATEGORIES, CONDITIONS)
    assert (decision.chosen, decision.accepted) == (1, True)
    assert any(
        "0.800 against the champion's 0.600 is +0.200, more than the margin of error" in r for r in decision.reasons
    )


def test_no_better_run_is_refused() -> None:
    decision = decide(CHAMPION, [CHAMPION], CATEGORIES, CONDITIONS)
    assert not decision.accepted
    (reason,) = decision.reasons
    assert "0.600 against the champion's 0.600 is +0.000, not more than the judge's noise 0.030" in reason


def test_a_run_chosen_by_name_is_judged_as_one_of_all_it_was_chosen_from() -> None:
    others = [run((0, 40), (50, 80 - i)) for i in range(5)]
    decision = decide(CHAMPION, [BETTER, *others], CATEGORIES, CONDITIONS, chosen=1)
    assert decision.chosen == 1
    assert any("(one of 6, p = " in check.reason for check in decision.checks)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"measured": 99}, "99 of 100 questions have an outcome"),
        ({"judge": "llm"}, "judged by llm, the champion by deterministic"),
        ({"judge_validated": False}, "judge deterministic is not validated against people"),
        ({"judge_noise": 0.25}, "0.800 against the champion's 0.600 is +0.200, not more than the judge's noise 0.250"),
    ],
)
def test_what_must_hold_before_scores_count(change: dict[str, object], reason: str) -> None:
    decision = decide(CHAMPION, [BETTER], CATEGORIES, replace(CONDITIONS, **change))
    assert not decision.accepted
    (given,) = decision.reasons
    assert given.startswith(reason)


def test_a_gain_that_costs_a_category_is_refused() -> None:
    trade = run((0, 50), (50, 74))  # preise 30 -> 50, urlaub 30 -> 24: 1 / 2^6 by luck
    decision = decide(CHAMPION, [trade], CATEGORIES, CONDITIONS)
    assert decision.reasons == ["category urlaub: -0.120 on 50 questions, significantly worse"]
    assert decide(CHAMPION, [run((0, 50), (50, 76))], CATEGORIES, CONDITIONS).accepted  # 4 lost: 1 / 2^4


def test_a_gain_that_costs_wrong_answers_is_refused() -> None:
    decision = decide(CHAMPION, [replace(BETTER, wrong=np.arange(100) >= 90)], CATEGORIES, CONDITIONS)
    assert decision.reasons == ["0.100 of the answers are wrong, +0.100, significantly worse"]


def test_the_objective_may_cover_fewer_questions_than_the_labels() -> None:
    part = [Outcomes(outcomes.objective[:90], outcomes.wrong) for outcomes in (CHAMPION, BETTER)]
    assert decide(part[0], part[1:], CATEGORIES[:90], CONDITIONS).accepted


def test_questions_without_a_category_are_one_category() -> None:
    names = [check.name for check in regressions(CHAMPION, BETTER, ["preise"] * 50 + [""] * 50)]
    assert names == ["wrong", "category (none)", "category preise"]
