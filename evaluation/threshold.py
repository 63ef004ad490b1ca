"""The decline threshold: what every value would do to questions that were answered without one, and which to take."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from evaluation.records import Label

NEVER = -1.0  # no cosine lies below it
FEWEST_DECIMALS, MOST_DECIMALS = 4, 6


@dataclass(frozen=True, slots=True)
class Case:
    """A question answered without a threshold. `strength`: cosine of its best passage."""

    strength: float
    answerable: bool
    label: Label


@dataclass(frozen=True, slots=True)
class Effect:
    """What a threshold does, in numbers of questions. `declined` are answerable, `answered` are unanswerable ones."""

    threshold: float
    answerable: int
    unanswerable: int
    correct: int
    partly: int
    wrong: int
    declined: int
    answered: int

    @property
    def n(self) -> int:
        return self.answerable + self.unanswerable

    @property
    def wrong_rate(self) -> float:
        """Share of all questions that are answered wrongly, as the metric `wrong` of a run."""
        return self.wrong / self.n

    @property
    def answers(self) -> int:
        return self.answerable - self.declined + self.answered


def label_at(case: Case, threshold: float) -> Label:
    """The label with that threshold: the rule of `evaluation.labels` for a question that is declined."""
    if case.strength >= threshold:
        return case.label
    return "declined" if case.answerable else "correct"


def effect(cases: Sequence[Case], threshold: float) -> Effect:
    labels = [label_at(case, threshold) for case in cases]
    answerable = sum(case.answerable for case in cases)
    return Effect(
        threshold,
        answerable,
        len(cases) - answerable,
        labels.count("correct"),
        labels.count("partly"),
        labels.count("wrong"),
        labels.count("declined"),
        sum(label == "wrong" and not case.answerable for case, label in zip(cases, labels, strict=True)),
    )


def trade_off(cases: Sequence[Case]) -> list[Effect]:
    """The effect of every threshold worth a look, the lowest first: never to decline, and between two strengths."""
    return [effect(cases, threshold) for threshold in candidates([case.strength for case in cases])]


def candidates(strengths: Sequence[float]) -> list[float]:
    """`NEVER`, and between neighbouring strengths the midpoint, rounded to as few decimals as still part the two.

    Strengths that six decimals do not part count as one: another machine computes the last digits differently.
    """
    between = [_between(low, high) for low, high in pairwise(sorted(set(strengths)))]
    return [NEVER, *(value for value in between if value is not None)]


def _between(low: float, high: float) -> float | None:
    rounded = (round((low + high) / 2, decimals) for decimals in range(FEWEST_DECIMALS, MOST_DECIMALS + 1))
    return next((value for value in rounded if low < value <= high), None)


def choose(effects: Sequence[Effect], max_wrong_rate: float) -> Effect | None:
    """Of those that keep the limit the one with most correct, then fewest declined answers; None: none keeps it."""
    kept = [own for own in effects if own.wrong_rate <= max_wrong_rate]
    return max(kept, key=lambda own: (own.correct, -own.declined, -own.threshold), default=None)


def closest(effects: Sequence[Effect]) -> Effect:
    """The one with fewest wrong answers, of those the one with most correct."""
    return min(effects, key=lambda own: (own.wrong, -own.correct, own.threshold))


def auc(cases: Sequence[Case]) -> float:
    """How well strength alone tells answerable from unanswerable questions: 1 always, 0.5 as chance does.

    The share of pairs of both kinds in which the answerable one is the stronger, ties counting half: the area under the
    ROC curve (Hanley and McNeil, Radiology 143, 1982).
    """
    weak = [case.strength for case in cases if not case.answerable]
    pairs = [(case.strength, other) for case in cases if case.answerable for other in weak]
    return sum((own > other) + (own == other) / 2 for own, other in pairs) / len(pairs)
