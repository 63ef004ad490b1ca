"""Which run is judged, against what: small tables of 40 questions."""

from typing import Any

import pytest

from pipelines.promotion import Measured, headline, incomparable, judge, same_setup, values
from pipelines.tracking import Run
from rag.errors import InputError

N = 40


def measured(id: str, right: int, wrong: int = 0, failed: int = 0, by: str = "people", **params: str) -> Measured:
    """The first `right` answers are correct, the last `wrong` wrong, `failed` before them failed, the rest declined."""
    labels = ["correct"] * right + ["declined"] * (N - right - wrong - failed) + [None] * failed + ["wrong"] * wrong
    rows = [
        {"id": n, "label": label, "error": "" if label else "timeout", "category": "ab"[n % 2], "recall": None}
        for n, label in enumerate(labels)
    ]
    return Measured(Run(id, id, "FINISHED", params, {}, {"judge": by}), rows)


def names(decision: Any) -> dict[str, bool]:
    return {check.name: check.passed for check in decision.checks}


def test_the_best_of_a_sweep_replaces_a_champion_that_it_clearly_beats() -> None:
    decision = judge([measured("a", 20), measured("b", 34)], measured("c", 19), "correct", True, 0.0)
    assert decision.chosen == 1
    assert decision.accepted, decision.reasons
    # 34 / 40 - 19 / 40 = 0.375
    assert any("0.850 against the champion's 0.475 is +0.375, more than" in reason for reason in decision.reasons)


def test_a_named_point_is_judged_and_not_the_best_one() -> None:
    decision = judge([measured("a", 20), measured("b", 34)], measured("c", 19), "correct", True, 0.0, chosen=0)
    assert decision.chosen == 0
    assert not names(decision)["improvement"]  # one question of 40 more


def test_being_one_of_many_raises_the_bar() -> None:
    """Of 40 questions 6 are won and none lost, p = 1 / 64 alone; twelve such points that win others are one of luck."""
    champion, better = measured("c", 20), measured("b", 26)
    assert judge([better], champion, "correct", True, 0.0).accepted
    others = []
    for shift in range(12):
        labels = [row["label"] for row in champion.rows]
        for step in range(6):
            labels[20 + (shift * 5 + step * 3) % 20] = "correct"
        rows = [{**row, "label": label} for row, label in zip(champion.rows, labels, strict=True)]
        others.append(Measured(better.run, rows))
    assert not judge([better, *others], champion, "correct", True, 0.0, chosen=0).accepted


@pytest.mark.parametrize(
    ("candidate", "validated", "lacking"),
    [
        (measured("b", 35, wrong=5), True, "wrong"),  # five more, none fewer: p = 1 / 32
        (measured("b", 34, failed=1), True, "coverage"),
        (measured("b", 34, by="another"), True, "judge"),
        (measured("b", 34), False, "judge validated"),
    ],
)
def test_each_condition_refuses_alone(candidate: Measured, validated: bool, lacking: str) -> None:
    decision = judge([candidate], measured("c", 10), "correct", validated, 0.0)
    assert not decision.accepted
    assert [name for name, passed in names(decision).items() if not passed] == [lacking]


def test_the_first_champion_needs_outcomes_and_a_validated_judge() -> None:
    assert judge([measured("a", 1)], None, "correct", True, None).accepted
    assert not judge([measured("a", 1)], None, "correct", False, None).accepted
    assert not judge([measured("a", 1, failed=1)], None, "correct", True, None).accepted


def test_without_a_comparable_champion_nothing_moves() -> None:
    decision = incomparable(judge([measured("a", 40)], None, "correct", True, None), "other questions")
    assert not decision.accepted
    assert decision.reasons == ["other questions"]


def test_an_objective_has_the_questions_that_it_is_defined_for() -> None:
    rows = [
        {"id": "1", "label": "correct", "recall": 0.5, "reciprocal_rank": 1.0},
        {"id": "2", "label": None, "recall": None, "reciprocal_rank": None},
    ]
    assert values(rows, "correct").tolist() == [1, 0]  # what failed is no success
    assert values(rows, "mrr").tolist() == [1]
    with pytest.raises(InputError, match="objective=wrong: must be one of correct, recall_at_top_k, mrr"):
        values(rows, "wrong")
    with pytest.raises(InputError, match="no question has it"):
        judge([measured("a", 1)], None, "recall_at_top_k", True, None)


def test_headline_metrics_have_intervals() -> None:
    rows = [{"label": "correct", "recall": None, "reciprocal_rank": None}] * 5
    rows += [{"label": "wrong", "recall": None, "reciprocal_rank": None}] * 5
    # Wilson's interval of 5 of 10: 0.2366 to 0.7634 (Agresti and Coull 1998)
    assert headline(rows)["correct"] == "0.500 (0.237 to 0.763)"
    assert set(headline(rows)) == {"correct", "wrong", "declined"}


def test_the_same_set_up_may_have_been_measured_with_something_else() -> None:
    run = measured("a", 1, embedding="e5", **{"golden.path": "x"}).run
    assert same_setup(run, measured("b", 1, embedding="e5", **{"golden.path": "y", "judge": "z"}).run)
    assert not same_setup(run, measured("b", 1, embedding="minilm", **{"golden.path": "x"}).run)
