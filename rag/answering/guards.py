"""The two guards around every generator: no call for weak passages, no answer without a valid citation."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from rag.records import Answer, Hit

DECLINED = Answer("", (), declined=True)


class Generator(Protocol):
    """Answers each question from its own passages; citations are 1-based positions among them.

    `prompt_hash` identifies what a language model is told; empty for a generator without one.
    """

    @property
    def prompt_hash(self) -> str: ...

    def __call__(self, questions: Sequence[str], passages: Sequence[Sequence[Hit]]) -> list[Answer]: ...


def answer_all(
    generator: Generator,
    questions: Sequence[str],
    passages: Sequence[Sequence[Hit]],
    strength: np.ndarray,
    threshold: float,
) -> list[Answer]:
    """One answer a question. `strength`: cosine of the best passage, shape (questions,); below `threshold` it declines.

    The generator sees only the questions that pass. What it returns without a citation, or with one that names no
    passage, counts as declined; its text is kept to be read. An answer with an error stays what it is.
    """
    chosen = asked(passages, strength, threshold)
    answers = [DECLINED] * len(questions)
    for i, answer in zip(chosen, generator([questions[i] for i in chosen], [passages[i] for i in chosen]), strict=True):
        stands = answer.error or _cites_only_what_is_there(answer, len(passages[i]))
        answers[i] = answer if stands else replace(answer, citations=(), declined=True)
    return answers


def asked(passages: Sequence[Sequence[Hit]], strength: np.ndarray, threshold: float) -> list[int]:
    """Positions of the questions that the generator gets to see."""
    return [i for i, hits in enumerate(passages) if hits and strength[i] >= threshold]


def _cites_only_what_is_there(answer: Answer, n: int) -> bool:
    return bool(answer.text.strip() and answer.citations) and all(1 <= number <= n for number in answer.citations)
