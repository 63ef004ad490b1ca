import math

import pytest
from mlflow.utils.validation import _validate_metric_name

from evaluation.means import LONGEST, Mean, as_metrics, check_names, mean_measures
from evaluation.records import Question
from rag.errors import InputError


def question(id: str, category: str = "", difficulty: str = "", groups: tuple[str, ...] = ()) -> Question:
    return Question(id, f"Frage {id}?", category=category, difficulty=difficulty, groups=groups)


def test_overall_and_per_category_difficulty_and_group_with_n() -> None:
    means = mean_measures(
        [
            (question("1", "vorschriften", "leicht", ("einkauf", "personal")), {"mrr": 1.0}),
            (question("2", "vorschriften", "schwer", ("einkauf",)), {"mrr": 0.5}),
            (question("3"), {"mrr": 0.0}),
        ]
    )
    assert means == {
        "mrr": Mean((1 + 1 / 2 + 0) / 3, 3),
        "mrr.vorschriften": Mean((1 + 1 / 2) / 2, 2),
        "mrr.difficulty.leicht": Mean(1, 1),
        "mrr.difficulty.schwer": Mean(1 / 2, 1),
        "mrr.group.einkauf": Mean((1 + 1 / 2) / 2, 2),
        "mrr.group.personal": Mean(1, 1),
    }
    assert as_metrics(means)["mrr_n.vorschriften"] == 2
    assert as_metrics(means)["mrr_n"] == 3


def test_a_measure_that_some_questions_lack_has_its_own_n() -> None:
    means = mean_measures([(question("1"), {"mrr": 1.0, "judge": 0.5}), (question("2"), {"mrr": 0.0})])
    assert means == {"mrr": Mean(1 / 2, 2), "judge": Mean(1 / 2, 1)}


def test_a_category_and_a_group_of_one_name_stay_apart() -> None:
    means = mean_measures([(question("1", "it"), {"mrr": 1.0}), (question("2", "", "", ("it",)), {"mrr": 0.0})])
    assert (means["mrr.it"], means["mrr.group.it"]) == (Mean(1, 1), Mean(0, 1))


def test_a_group_named_twice_counts_once() -> None:
    assert mean_measures([(question("1", groups=("it", "it")), {"mrr": 1.0})])["mrr.group.it"] == Mean(1, 1)


def test_an_nfd_category_is_the_same_category() -> None:
    means = mean_measures(
        [(question("1", "Pr\u00fcfung"), {"mrr": 1.0}), (question("2", "Pru\u0308fung"), {"mrr": 0.0})]
    )
    assert means["mrr.Pr\u00fcfung"] == Mean(1 / 2, 2)


@pytest.mark.parametrize(
    "category", ["Maße & Gewichte", "a/b", "/", "..", "a//../b", "x@8", "Zeile\nzwei", "§ 3: Urlaub", "(leer)"]
)
def test_names_are_legal_in_mlflow(category: str) -> None:
    for name in as_metrics(mean_measures([(question("1", category, category, (category,)), {"recall_at_8": 1.0})])):
        _validate_metric_name(name)


def test_categories_that_would_share_a_name_are_refused() -> None:
    rows = [(question("1", "a/b"), {"mrr": 1.0}), (question("2", "a_b"), {"mrr": 0.0})]
    with pytest.raises(InputError, match=r"question '2': category 'a_b' and category 'a/b' would share"):
        mean_measures(rows)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_value_that_is_no_number_stops_the_mean(value: float) -> None:
    with pytest.raises(InputError, match="question '2': mrr is"):
        mean_measures([(question("1"), {"mrr": 1.0}), (question("2"), {"mrr": value})])


@pytest.mark.parametrize(
    "other",
    [
        {"category": "difficulty.leicht", "difficulty": ""},
        {"category": "group.it", "difficulty": ""},
        {"category": "difficulty.leicht", "difficulty": "leicht"},  # of one question, too
    ],
)
def test_a_category_named_like_a_difficulty_or_group_is_refused(other: dict[str, str]) -> None:
    questions = [question("1", "", "leicht", ("it",)), question("2", **other)]
    with pytest.raises(InputError, match=r"question '[12]': .* would share the metric name suffix"):
        check_names(questions)


def test_the_longest_name_is_legal_in_mlflow_and_a_longer_one_is_refused() -> None:
    longest = question("1", "ä" * (LONGEST - 1))
    for name in mean_measures([(longest, {"recall_at_1000000_tokens": 1.0})]):
        _validate_metric_name(name)
        assert len(name) <= 250
    with pytest.raises(InputError, match=r"question '2': category .* longer than 200"):
        check_names([longest, question("2", "ä" * LONGEST)])
