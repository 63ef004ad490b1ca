"""What each axis of a sweep did, averaged over the rest."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.decisions.intervals import Interval, difference_interval
from evaluation.decisions.noise import exceeds_noise


@dataclass(frozen=True, slots=True)
class Effect:
    """`level` against `reference` on one axis. `pairs`: combinations of the other axes that have both."""

    axis: str
    level: Hashable
    reference: Hashable
    difference: float
    interval: Interval
    pairs: int


def main_effects(settings: Sequence[Mapping[str, Hashable]], scores: NDArray[np.float64]) -> list[Effect]:
    """Every level of every axis against the axis's first level. `settings`: one a row of `scores` (m, n), equal keys.

    Only combinations of the other axes that have both levels count, so a failed or missing point does not tilt an
    average; where none has both there is no effect to tell. The interval is that of the questions: it says whether the
    effect would be there with other questions, not with other settings of the rest.
    """
    return [effect for own in settings[:1] for axis in own for effect in _effects(axis, settings, scores)]


def is_effect(effect: Effect, judge_noise: float | None) -> bool:
    """Whether zero is outside the interval, and the difference at least the judge's noise (None: not measured)."""
    return not effect.interval.low <= 0 <= effect.interval.high and exceeds_noise(effect.difference, judge_noise)


def _effects(axis: str, settings: Sequence[Mapping[str, Hashable]], scores: NDArray[np.float64]) -> list[Effect]:
    rows: dict[Hashable, dict[Hashable, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row, values in enumerate(settings):
        rest = tuple(value for other, value in values.items() if other != axis)
        rows[values[axis]][rest].append(row)
    reference, *levels = rows
    effects = []
    for level in levels:
        shared = [rest for rest in rows[reference] if rest in rows[level]]
        if shared:
            pairs = [
                scores[rows[level][rest]].mean(axis=0) - scores[rows[reference][rest]].mean(axis=0) for rest in shared
            ]
            by_question = np.mean(pairs, axis=0)
            interval = difference_interval(by_question)
            effects.append(Effect(axis, level, reference, float(by_question.mean()), interval, len(shared)))
    return effects
