"""Parts of the golden set: a half to tune on and one to see what the tuning is worth; some to ask first."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from evaluation.records import Question


class Split(NamedTuple):
    """Positions of the questions, in their own order; no question is in both."""

    tuning: list[int]
    held_out: list[int]


def split(questions: Sequence[Question]) -> Split:
    """Two halves with answerability and categories as they are among all; the same ones for the same questions.

    Every second question in order of answerability, category and hash of the id: of every stratum the halves hold
    numbers that differ by one at most (systematic sample; Cochran, Sampling Techniques, ch. 8). A question that is
    added moves others from one half to the other.
    """
    order = _order(questions)
    return Split(sorted(order[::2]), sorted(order[1::2]))


def first_questions(questions: Sequence[Question], n: int) -> list[int]:
    """Positions of `n` questions, or of all if there are fewer, drawn in the order of `split` at equal distances.

    Of every stratum they hold its share up to one question (systematic sample, as above).
    """
    order, total = _order(questions), len(questions)
    return sorted(order[i * total // n] for i in range(n)) if n < total else list(range(total))


def _order(questions: Sequence[Question]) -> list[int]:
    return sorted(range(len(questions)), key=lambda i: _place(questions[i]))


def _place(question: Question) -> tuple[bool, str, str]:
    return question.answerable, question.category, hashlib.sha256(question.id.encode()).hexdigest()
