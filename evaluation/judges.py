"""Judges: does an answer say what the expected answer says, does a passage help?"""

import re
from dataclasses import dataclass
from math import floor
from typing import Literal, Protocol

from evaluation.facts import Facts, facts
from rag.errors import InputError

CITATION = re.compile(r"\[\d+\]")
Verdict = Literal["correct", "partly", "wrong"]


class Judge(Protocol):
    """Compares an answer with the expected one. `name` says which judge, version and settings gave a label."""

    @property
    def name(self) -> str: ...

    def __call__(self, question: str, expected: str, answer: str) -> Verdict: ...


class ContextJudge(Protocol):
    """Whether a retrieved passage helps to answer a question, for context relevance. Nothing here implements it."""

    @property
    def name(self) -> str: ...

    def __call__(self, question: str, passage: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class Deterministic:
    """Counts the expected facts that the answer holds; needs no model and gives the same label for ever.

    Hard facts are quantities with their unit, dates and codes that the question does not name itself. All of them held,
    and a share `words` of the expected content words (rounded down) too: correct. Some of them: partly. None: wrong.
    Without hard facts the share of content words alone decides: `words_alone` for correct, half of it for partly.

    It does not see negation, nor anything false that the answer says beside the expected facts.
    """

    words: float = 0.25
    words_alone: float = 0.6

    def __post_init__(self) -> None:
        if not (0 <= self.words <= 1 and 0 < self.words_alone <= 1):
            raise InputError(
                f"judge.words={self.words} must lie between 0 and 1,"
                f" judge.words_alone={self.words_alone} above 0 and at most 1"
            )

    @property
    def name(self) -> str:
        return f"deterministic-1(words={self.words}, words_alone={self.words_alone})"

    def __call__(self, question: str, expected: str, answer: str) -> Verdict:
        asked, wanted, given = facts(question), facts(expected), facts(CITATION.sub(" ", answer))
        held = _hard_facts_held(asked, wanted, given)
        words = wanted.words - asked.words
        if held:
            enough = len(words & given.words) >= floor(self.words * len(words))
            return "correct" if all(held) and enough else "partly" if any(held) else "wrong"
        share = len(words & given.words) / len(words) if words else 1.0
        if share >= self.words_alone:
            return "correct"
        return "partly" if share >= self.words_alone / 2 else "wrong"


def _hard_facts_held(asked: Facts, wanted: Facts, given: Facts) -> list[bool]:
    bare = {value for value, unit in given.quantities if not unit}  # a table states its unit in the header
    values = {value for value, _ in given.quantities}
    return [
        *((value, unit) in given.quantities or (value in bare if unit else value in values)
          for value, unit in wanted.quantities - asked.quantities),
        *(date in given.dates for date in wanted.dates - asked.dates),
        *(code in given.codes for code in wanted.codes - asked.codes),
    ]  # fmt: skip
