"""Sweeps drawn at random, with a known truth: 48 points and a champion answer the same questions.

Every run answers 70 % of all possible questions, and a point and the champion differ on 15 %, unless a point is made
better. Four kinds, from real to hostile, as it matters much how alike points are:

- inside: points share the levels of four axes, and the champion is one of them; most differ from it on less
- axes: the same, and the champion is of another sweep
- alike: every run is a copy of one base with mistakes of its own
- unlike: every point is a copy of the champion with mistakes of its own, as unlike one another as 15 % allow
"""

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evaluation.decisions.gate import Conditions, Decision, Outcomes, decide

Kind = Literal["inside", "axes", "alike", "unlike"]
KINDS: tuple[Kind, ...] = ("inside", "axes", "alike", "unlike")
Sweep = tuple[NDArray[np.bool_], NDArray[np.bool_]]
"""Right answers of the champion (n,) and of the points (48, n)."""

POINTS, SHARE, DISCORDANT = 48, 0.7, 0.15
BETTER = 7  # the point that is made better where one is
LEVELS = (3, 4, 2, 2)  # as chunking, retrieval, embedding, reranker
CATEGORIES = 8
CONDITIONS = Conditions(measured=1, questions=1, judge="judge", champion_judge="judge", judge_validated=True)

_THRESHOLD = 0.5244  # the normal quantile of SHARE
_OWN = 0.1436  # share of the variance that is not the question's difficulty: unrelated runs then differ on 15 %
_MISTAKES = 0.0416  # share of mistakes each way: two copies then differ on 15 %


def sweeps(kind: Kind, count: int, questions: int = 200, better: bool = False) -> Iterator[Sweep]:
    """`better`: one point gets 12.5 % of the questions right that the champion gets wrong, and loses 2.5 %."""
    rng = np.random.default_rng(1 + KINDS.index(kind))
    for _ in range(count):
        champion, points = _draw(kind, rng, questions)
        if better:
            points[BETTER] = _copies(rng, champion, gained=0.125, lost=0.025, count=1)[0]
        yield champion, points


def judged(sweep: Sweep, seed: int) -> Decision:
    """What the gate says. A failing question is answered wrongly or declined, half each, whichever run fails."""
    champion, points = sweep
    harmful = np.random.default_rng(seed).random(len(champion)) < 0.5
    best, *others = (Outcomes(row.astype(float), ~row & harmful) for row in (champion, *points))
    return decide(best, others, [str(i % CATEGORIES) for i in range(len(champion))], CONDITIONS)


def _draw(kind: Kind, rng: np.random.Generator, n: int) -> Sweep:
    half = DISCORDANT / 2
    if kind == "alike":
        base = rng.random(n) < SHARE
        champion, *points = _copies(rng, base, _MISTAKES, _MISTAKES, POINTS + 1)
        return champion, np.array(points)
    if kind == "unlike":
        champion = rng.random(n) < SHARE
        return champion, _copies(rng, champion, half, half, POINTS)
    difficulty = np.sqrt(1 - _OWN) * rng.standard_normal(n)
    strength = np.sqrt(_OWN / 5) * rng.standard_normal((*LEVELS, n))  # a fifth for the point, one for each of the axes
    for axis, levels in enumerate(LEVELS):
        shape = [levels if other == axis else 1 for other in range(len(LEVELS))]
        strength += np.sqrt(_OWN / 5) * rng.standard_normal((*shape, n))
    points = (difficulty + strength < _THRESHOLD).reshape(POINTS, n)
    outside = difficulty + np.sqrt(_OWN) * rng.standard_normal(n) < _THRESHOLD
    return points[0].copy() if kind == "inside" else outside, points


def _copies(
    rng: np.random.Generator, base: NDArray[np.bool_], gained: float, lost: float, count: int
) -> NDArray[np.bool_]:
    """Copies (count, n) that gain and lose these shares of all questions."""
    flips = np.where(base, lost / SHARE, gained / (1 - SHARE))
    return base ^ (rng.random((count, len(base))) < flips)
