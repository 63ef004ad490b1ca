"""Where every run stands: its values with intervals, against the baseline, among the best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from evaluation.comparison.results import SHARES, Result, Scores
from evaluation.decisions.chosen import corrected_score
from evaluation.decisions.comparisons import Comparison, compare_means, compare_shares
from evaluation.decisions.intervals import Interval, mean_interval, share_interval
from evaluation.decisions.max_t import max_t, tied_set
from evaluation.decisions.noise import exceeds_noise
from evaluation.decisions.pareto import pareto_front

Verdict = Literal["better", "worse", "no difference"]
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Value:
    """A measure of a run; `versus` None: the run is the baseline itself."""

    value: float
    interval: Interval
    versus: Comparison | None
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Standing:
    """A run. `tied`: the data cannot tell it from the best; `front`: none beats it in quality, latency and tokens."""

    row: int
    values: Mapping[str, Value]
    tied: bool
    front: bool


@dataclass(frozen=True, slots=True)
class Chosen:
    """The best run, chosen by its own score. Rows are those of the results.

    `raw`, `corrected`: its score, and what can be expected of it on new questions. `gain`: over the baseline; `margin`:
    what a gain must exceed, given that it was chosen from all; `p_value`: corrected alike. `fastest`, `shortest`: of
    the tied runs those with the lowest latency and the fewest context tokens.
    """

    row: int
    raw: float
    corrected: float
    gain: float
    margin: float
    p_value: float
    fastest: int
    shortest: int


def standings(
    results: Sequence[Result], scores: Scores, objective: str, baseline: int, judge_noise: float | None
) -> tuple[list[Standing], Chosen]:
    """All runs, the best by `objective` first; among equals the faster. Higher must be better."""
    quality = scores.measures[objective]
    means = quality.mean(axis=1)
    latency = np.array([result.latency_ms for result in results])
    tokens = np.array([result.context_tokens for result in results])
    order = np.lexsort((tokens, latency, -means.round(9)))
    best = int(order[0])
    noise = judge_noise if objective in SHARES else 0.0  # no judge takes part in measures of retrieval
    quiet = np.array([not exceeds_noise(float(means[best] - mean), noise) for mean in means])
    tied = tied_set(quality) | quiet
    front = pareto_front(np.column_stack([-means, latency, tokens]))
    columns = {name: _values(name, scores, baseline, judge_noise) for name in scores.measures}
    among = np.flatnonzero(tied)
    test = max_t(quality, quality[baseline])
    chosen = Chosen(
        row=best,
        raw=float(means[best]),
        corrected=corrected_score(quality),
        gain=float(test.differences[best]),
        margin=float(test.margins[best]),
        p_value=float(test.p_values[best]),
        fastest=int(among[np.lexsort((-means[among], latency[among]))[0]]),
        shortest=int(among[np.lexsort((-means[among], tokens[among]))[0]]),
    )
    rows = [
        Standing(row, {name: own[row] for name, own in columns.items()}, bool(tied[row]), bool(front[row]))
        for row in map(int, order)
    ]
    return rows, chosen


def _values(name: str, scores: Scores, baseline: int, judge_noise: float | None) -> list[Value]:
    matrix = scores.measures[name]
    others = np.delete(matrix, baseline, axis=0)
    if name in SHARES:
        intervals = [share_interval(int(row.sum()), len(row)) for row in matrix]
        compared = compare_shares(others == 1, matrix[baseline] == 1)
    else:
        intervals = [mean_interval(row) for row in matrix]
        compared = compare_means(others, matrix[baseline])
        judge_noise = 0.0
    versus: list[Comparison | None] = [*compared[:baseline], None, *compared[baseline:]]
    return [
        Value(float(row.mean()), interval, own, verdict(own, judge_noise, lower_is_better=name == "wrong"))
        for row, interval, own in zip(matrix, intervals, versus, strict=True)
    ]


def verdict(compared: Comparison | None, judge_noise: float | None, lower_is_better: bool = False) -> Verdict:
    """No difference if it may be luck at 5 %, corrected for the number of runs, or is below the judge's noise."""
    if compared is None or compared.p_holm > LEVEL or not exceeds_noise(compared.difference, judge_noise):
        return "no difference"
    return "better" if (compared.difference > 0) != lower_is_better else "worse"
