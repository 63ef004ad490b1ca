"""The two guards around every generator: no call for weak passages, no answer without a valid citation."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from rag.records import Answer, Hit

DECLINED = Answer("", (), declined=True)


class Generator(Protocol):
    """Answers each question from its own passages; citations are 1-based positions among them."""

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
    passage, counts as declined.
    """
    asked = [i for i, hits in enumerate(passages) if hits and strength[i] >= threshold]
    answers = [DECLINED] * len(questions)
    for i, answer in zip(asked, generator([questions[i] for i in asked], [passages[i] for i in asked]), strict=True):
        answers[i] = answer if _cites_only_what_is_there(answer, len(passages[i])) else DECLINED
    return answers


def _cites_only_what_is_there(answer: Answer, n: int) -> bool:
    return bool(answer.text.strip() and answer.citations) and all(1 <= number <= n for number in answer.citations)
