"""Everything that a comparison finds out about the selected runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.comparison.categories import Category, by_category
from evaluation.comparison.results import SHARES, Result, Scores, aligned, result
from evaluation.comparison.settings import axes
from evaluation.comparison.standings import Chosen, Standing, standings
from evaluation.decisions.axes import Effect, main_effects
from evaluation.decisions.flip_list import Flip, flip_list
from pipelines.selection import Selection
from pipelines.tracking import PastPoint, Run
from rag.errors import InputError

OBJECTIVES = ("correct", "recall_at_top_k", "mrr")


@dataclass(frozen=True, slots=True)
class Compared:
    """`results`, `settings` and the rows of `scores` stand in the order of the selection's runs; `baseline` is a row.

    `effects`: by measure. `flips`: between the rows `flipped`. `judge_noise` None: not measured for any of the runs.
    """

    selection: Selection
    objective: str
    baseline: int
    judge_noise: float | None
    results: tuple[Result, ...]
    settings: list[dict[str, str]]
    scores: Scores
    standings: list[Standing]
    chosen: Chosen
    effects: dict[str, list[Effect]]
    categories: list[Category]
    flipped: tuple[int, int]
    flips: list[Flip]
    expected: dict[str, str]

    @property
    def measures(self) -> list[str]:
        """The objective first."""
        return sorted(self.scores.measures, key=lambda name: name != self.objective)


def compared(selection: Selection, uri: str | None, objective: str, flips: str) -> Compared:
    """Read the questions of all runs and compare them. Raises InputError for an objective or flips that do not fit."""
    if objective not in OBJECTIVES:
        raise InputError(f"objective={objective}: must be one of {', '.join(OBJECTIVES)}")
    runs = list(selection.runs)
    pair = _pair(flips, runs) if flips else None
    baseline = runs.index(selection.baseline)
    rows = [PastPoint(run.id, uri).questions() for run in runs]
    results = tuple(_result(run, own) for run, own in zip(runs, rows, strict=True))
    scores = aligned(results)
    if objective not in scores.measures:
        raise InputError(f"objective={objective}: the golden set has no references to find; rank by correct")
    noises = [run.metrics["judge_noise"] for run in runs if "judge_noise" in run.metrics]
    judge_noise = max(noises, default=None)
    ranked, chosen = standings(results, scores, objective, baseline, judge_noise)
    best = chosen.row if chosen.row != baseline else ranked[1].row
    first, second = pair or (baseline, best)
    settings = axes([run.params for run in runs])
    on_axes = _from(runs[baseline], [row for row in range(len(runs)) if runs[row].id not in selection.beside], runs)
    levels = axes([runs[row].params for row in on_axes])
    return Compared(
        selection=selection,
        objective=objective,
        baseline=baseline,
        judge_noise=judge_noise,
        results=results,
        settings=settings,
        scores=scores,
        standings=ranked,
        chosen=chosen,
        effects={name: main_effects(levels, matrix[on_axes]) for name, matrix in scores.measures.items()},
        categories=by_category(scores, best, baseline),
        flipped=(first, second),
        flips=flip_list(results[first].answers, results[second].answers),
        expected={row["id"]: row["expected_answer"] for row in rows[0]},
    )


def _from(baseline: Run, rows: Sequence[int], runs: Sequence[Run]) -> list[int]:
    """The rows, the one first from whose levels effects are told: the most like the baseline, or itself."""
    nearest = [sum(value != baseline.params.get(key) for key, value in runs[row].params.items()) for row in rows]
    return sorted(rows, key=lambda row: nearest[rows.index(row)] > min(nearest))


def noise_of(found: Compared, measure: str) -> float | None:
    """The judge's noise, which only its labels have."""
    return found.judge_noise if measure in SHARES else 0.0


def _result(run: Run, rows: Sequence[dict[str, Any]]) -> Result:
    return result(run.id, run.name, run.metrics["latency_p50_ms"], run.metrics["context_tokens"], rows)


def _pair(flips: str, runs: Sequence[Run]) -> tuple[int, int]:
    ids = [run.id for run in runs]
    named = flips.split(",")
    if len(named) != 2 or len(set(named) & set(ids)) != 2:
        raise InputError(f"flips={flips}: name two of the runs compared, as in flips={ids[0]},{ids[1]}")
    return ids.index(named[0]), ids.index(named[1])
