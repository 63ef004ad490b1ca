"""Names as the MLflow UI groups, sorts and filters them, and back."""

import pytest

from pipelines.tracking import HEADLINE
from pipelines.tracking.logged_names import PARAMS, metric, param, plain


@pytest.mark.parametrize(
    ("name", "logged"),
    [
        ("correct", "correct"),
        ("recall_at_8", "recall_at_8"),
        ("judge_kappa", "judge_kappa"),  # two searches of the code filter by these
        ("recall_at_5", "detail/recall_at_5"),
        ("n_labels", "detail/n_labels"),
        ("recall_at_8.fristen", "detail/parts/recall_at_8.fristen"),
        ("correct.group.a.b", "detail/parts/correct.group.a.b"),
        ("cause.cut_apart", "detail/causes/cause.cut_apart"),
        ("failures.retrieval_missed", "detail/causes/failures.retrieval_missed"),
        ("evidence_left.all", "detail/causes/evidence_left.all"),
    ],
)
def test_metrics_below_the_headline_have_a_prefix_in_the_store_only(name: str, logged: str) -> None:
    assert metric(name) == logged
    assert plain({logged: 1.0}) == {name: 1.0}


def test_a_store_of_a_release_without_prefixes_is_read_too() -> None:
    assert plain({"recall_at_5": 1.0, "cause.cut_apart": 2.0}) == {"recall_at_5": 1.0, "cause.cut_apart": 2.0}


def test_a_category_that_looks_like_a_prefix_comes_back_whole() -> None:
    name = "correct.detail/parts/x"
    assert plain({metric(name): 1.0}) == {name: 1.0}


def test_params_that_are_no_axis_have_a_prefix() -> None:
    assert param("chunking.size") == "chunking.size"
    assert param("lexical.compounds") == "detail/lexical.compounds"
    assert plain({param("lexical.compounds"): "true"}) == {"lexical.compounds": "true"}


def test_there_are_ten_headline_metrics_and_few_params() -> None:
    assert len(set(HEADLINE)) == 10
    assert len(set(PARAMS)) == 11
