"""Runs side by side: alignment, axes, standings, categories and their pictures."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from evaluation.comparison.categories import by_category
from evaluation.comparison.pictures import Bar, Mark, category_figure, effects_figure, front_figure, leaderboard_figure
from evaluation.comparison.results import Result, aligned, result
from evaluation.comparison.settings import axes
from evaluation.comparison.standings import standings, verdict
from evaluation.decisions.axes import Effect, is_effect
from evaluation.decisions.comparisons import Comparison
from evaluation.decisions.intervals import Interval, share_interval
from rag.errors import InputError


def row(id: str, label: str, recall: float | None = 1.0, category: str = "fristen") -> dict[str, object]:
    return {
        "id": id,
        "question": f"Frage {id}?",
        "category": category,
        "label": label,
        "cause": "",
        "answer": "Antwort",
        "recall": recall,
        "reciprocal_rank": recall,
    }


def run(name: str, correct: int, latency: float = 100, tokens: float = 500, n: int = 100) -> Result:
    """The first questions are answered correctly, the others wrong."""
    rows = [row(str(i), "correct" if i < correct else "wrong", float(i < correct)) for i in range(n)]
    return result(name, name, latency, tokens, rows)


def test_values_follow_the_question_not_its_place() -> None:
    one = result("a", "a", 1, 1, [row("x", "correct", 1.0), row("y", "wrong", 0.5), row("z", "declined", None)])
    two = result("b", "b", 1, 1, [row("z", "correct", None), row("y", "partly", 0.25), row("x", "wrong", 0.0)])
    scores = aligned([one, two])
    assert scores.measures["correct"].tolist() == [[1, 0, 0], [0, 0, 1]]
    assert scores.measures["wrong"].tolist() == [[0, 1, 0], [1, 0, 0]]
    assert scores.measures["recall_at_top_k"].tolist() == [[1, 0.5], [0, 0.25]]  # z has nothing to find


def test_without_references_there_is_no_retrieval_to_compare() -> None:
    bare = result("a", "a", 1, 1, [row("x", "correct", None)])
    assert set(aligned([bare, bare]).measures) == {"correct", "wrong"}


def test_runs_of_other_questions_are_refused() -> None:
    one, two = (result(name, name, 1, 1, [row(id, "correct") for id in ids]) for name, ids in (("a", "x"), ("b", "xy")))
    with pytest.raises(InputError, match="runs a and b: question 'y' is in one of them only"):
        aligned([one, two])


def params(**given: object) -> dict[str, str]:
    return {key.replace("__", "."): str(value) for key, value in given.items()}


def test_what_all_runs_share_is_no_axis() -> None:
    runs = [params(chunking="structure", chunking__size=size) for size in (256, 512)]
    assert axes(runs) == [{"chunking.size": "256"}, {"chunking.size": "512"}]


def test_what_the_choice_of_a_part_decides_is_no_axis_of_its_own() -> None:
    e5 = params(embedding="e5", embedding__model="e5", embedding__query_prefix="query: ")
    minilm = params(embedding="minilm", embedding__model="minilm", embedding__query_prefix="")
    bm25 = params(retrieval="bm25", retrieval__dense_weight=0)
    assert axes([e5, minilm]) == [{"embedding": "e5"}, {"embedding": "minilm"}]
    assert axes([bm25, params(retrieval="hybrid", retrieval__dense_weight=1)]) == [
        {"retrieval": "bm25"},
        {"retrieval": "hybrid"},
    ]


def test_a_key_that_not_every_choice_has_belongs_to_the_choice() -> None:
    runs = [params(reranker="none"), *(params(reranker="de", reranker__depth=depth) for depth in (5, 10))]
    assert [own["reranker"] for own in axes(runs)] == ["none", "de, depth 5", "de, depth 10"]
    assert all(set(own) == {"reranker"} for own in axes(runs))


def test_a_key_that_tells_the_choice_belongs_to_it() -> None:
    weights = [("bm25", 0.0), ("hybrid", 0.5), ("hybrid", 1.0)]
    runs = [params(retrieval=name, retrieval__dense_weight=weight) for name, weight in weights]
    assert [own["retrieval"] for own in axes(runs)] == [f"{name}, dense_weight {weight}" for name, weight in weights]


def test_axes_that_cross_stay_apart() -> None:
    runs = [params(chunking=name, chunking__size=size) for name in ("fixed", "structure") for size in (256, 512)]
    assert axes(runs)[1] == {"chunking": "fixed", "chunking.size": "512"}


def test_the_leaderboard_by_hand() -> None:
    runs = [run("base", 50), run("best", 90, latency=300), run("tied", 88, latency=200, tokens=900), run("bad", 20)]
    ranked, chosen = standings(runs, aligned(runs), "correct", baseline=0, judge_noise=None)
    assert [runs[standing.row].name for standing in ranked] == ["best", "tied", "base", "bad"]
    assert [standing.tied for standing in ranked] == [True, True, False, False]
    first, second, base, bad = (standing.values["correct"] for standing in ranked)
    assert (first.value, first.interval) == (0.9, share_interval(90, 100))
    assert first.versus is not None
    assert (first.versus.difference, first.versus.better, first.versus.worse) == (pytest.approx(0.4), 40, 0)
    # all 40 flips in one direction: 2 / 2 ** 40, the 38 of the second 2 / 2 ** 38 and the 30 lost 2 / 2 ** 30
    assert first.versus.p_holm == pytest.approx(3 * 2 / 2**40)
    assert (first.verdict, second.verdict, base.verdict, bad.verdict) == ("better", "better", "no difference", "worse")
    assert base.versus is None
    wrong = ranked[0].values["wrong"]
    assert (wrong.value, wrong.verdict) == (0.1, "better")  # fewer of them
    assert (chosen.row, chosen.raw, chosen.gain) == (1, 0.9, pytest.approx(0.4))
    assert chosen.gain > chosen.margin > 0
    # of the tied: 300 ms and 500 tokens, 200 ms and 900 tokens
    assert (chosen.fastest, chosen.shortest) == (2, 1)
    # bad is beaten by base in quality and equals it in the rest
    assert [standing.front for standing in ranked] == [True, True, True, False]


def test_a_lead_below_the_noise_of_the_judge_is_a_tie_but_retrieval_has_no_judge() -> None:
    runs = [run("base", 400, n=1000), run("best", 420, n=1000)]  # 20 questions won, none lost: no luck
    ranked, _ = standings(runs, aligned(runs), "correct", 0, judge_noise=None)
    assert [standing.tied for standing in ranked] == [True, True]
    assert ranked[0].values["correct"].verdict == "no difference"
    assert ranked[0].values["recall_at_top_k"].verdict == "better"
    ranked, _ = standings(runs, aligned(runs), "correct", 0, judge_noise=0.01)
    assert [standing.tied for standing in ranked] == [True, False]
    assert ranked[0].values["correct"].verdict == "better"
    ranked, _ = standings(runs, aligned(runs), "recall_at_top_k", 0, judge_noise=None)
    assert [standing.tied for standing in ranked] == [True, False]


def test_the_baseline_may_be_the_best() -> None:
    runs = [run("base", 90), run("other", 50)]
    _, chosen = standings(runs, aligned(runs), "correct", 0, None)
    assert (chosen.row, chosen.gain, chosen.p_value) == (0, 0, 1)


@pytest.mark.parametrize(
    ("difference", "p", "lower_is_better", "expected"),
    [
        (0.1, 0.01, False, "better"),
        (0.1, 0.01, True, "worse"),
        (-0.1, 0.01, True, "better"),
        (0.1, 0.06, False, "no difference"),
        (0.02, 0.01, False, "no difference"),
    ],
)
def test_verdicts(difference: float, p: float, lower_is_better: bool, expected: str) -> None:
    compared = Comparison(difference, Interval(0, 0), 0, 0, p, p)
    assert verdict(compared, None, lower_is_better) == expected


def test_categories_by_hand() -> None:
    labels: Mapping[str, Sequence[str]] = {"base": "wwwwwwwwcc", "new": "ccccccccww"}
    names = {"w": "wrong", "c": "correct"}
    runs = [
        result(name, name, 1, 1, [row(str(i), names[x], 1.0, "a" if i < 8 else "") for i, x in enumerate(own)])
        for name, own in labels.items()
    ]
    none, a = by_category(aligned(runs), run=1, baseline=0)
    assert (none.name, none.n, none.shares.tolist()) == ("(none)", 2, [1, 0])
    assert (a.name, a.n, a.shares.tolist(), a.intervals[1]) == ("a", 8, [0, 1], share_interval(8, 8))
    assert a.versus.p_value == pytest.approx(2 / 2**8)
    assert a.p_holm == pytest.approx(2 * 2 / 2**8)  # two categories


@pytest.mark.parametrize(
    ("low", "high", "noise", "real"),
    [(0.04, 0.1, None, True), (-0.01, 0.1, None, False), (0.04, 0.1, 0.2, False), (-0.1, -0.04, None, True)],
)
def test_an_effect_is_real_beyond_luck_and_noise(low: float, high: float, noise: float | None, real: bool) -> None:
    effect = Effect("size", "512", "256", (low + high) / 2, Interval(low, high), 4)
    assert is_effect(effect, noise) is real


def drawn(figure: Figure, file: Path) -> list[str]:
    figure.savefig(file)
    assert file.read_bytes().startswith(b"\x89PNG")
    return [text.get_text() for axes in figure.axes for text in [*axes.texts, *axes.get_yticklabels(), axes.title]]


def test_five_hundred_runs_are_cut_to_the_best_and_the_baseline(tmp_path: Path) -> None:
    bars = [Bar(f"Lauf {n}", 0.5, Interval(0.4, 0.6), n < 9, n == 400) for n in range(500)]
    shown = drawn(leaderboard_figure(bars, "Questions labelled correct"), tmp_path / "bars.png")
    runs = [name for name in shown if name.startswith("Lauf")]
    assert runs == [*(f"Lauf {n}" for n in range(25)), "Lauf 400"]
    heat = category_figure([bar.name for bar in bars], [("fristen", 5)], np.full((500, 1), 0.25))
    assert drawn(heat, tmp_path / "heat.png").count("25%") == 25


def test_runs_of_the_front_are_numbered_and_named(tmp_path: Path) -> None:
    marks = [Mark("slow", 900, 500, 0.8, True), Mark("beaten", 950, 500, 0.7, False), Mark("fast", 10, 400, 0.5, True)]
    figure = front_figure(marks, "Questions labelled correct")
    assert drawn(figure, tmp_path / "front.png")[:2] == ["1", "2"]
    names = [text.get_text().split("  ")[0] for text in figure.legends[0].get_texts()]
    assert names == ["fast", "slow"]


def test_effects_say_what_changed_and_by_how_much(tmp_path: Path) -> None:
    effects = [Effect("top_k", "8", "4", 0.05, Interval(0.01, 0.09), 4)]
    shown = drawn(effects_figure(effects, "recall", 0.0), tmp_path / "effects.png")
    assert {"+0.050", "top_k:  4 → 8"} <= set(shown)
