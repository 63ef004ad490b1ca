"""What changed between two runs, question by question."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evaluation.records import Label
from rag.errors import InputError

Direction = Literal["better", "worse", "same"]

RANK: dict[Label, int] = {"wrong": 0, "partly": 1, "declined": 1, "correct": 2}
"""A wrong answer does harm; half an answer and an honest refusal both send the person on to look for it."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A question in one run. `cause`: "" if correct."""

    id: str
    question: str
    category: str
    label: Label
    cause: str
    answer: str


@dataclass(frozen=True, slots=True)
class Flip:
    direction: Direction
    before: Answered
    after: Answered


def direction(before: Label, after: Label) -> Direction:
    """Better or worse on the order wrong < partly, declined < correct."""
    step = RANK[after] - RANK[before]
    return "better" if step > 0 else "worse" if step < 0 else "same"


def flip_list(before: Sequence[Answered], after: Sequence[Answered]) -> list[Flip]:
    """The questions of two runs in the order of the first, whichever order the second has.

    Raises InputError unless both have the same questions.
    """
    others = {answered.id: answered for answered in after}
    if odd := others.keys() ^ {answered.id for answered in before}:
        raise InputError(f"question {min(odd)!r} is in one of the two runs only: compare runs of one golden set")
    pairs = [(one, others[one.id]) for one in before]
    return [Flip(direction(one.label, other.label), one, other) for one, other in pairs]
