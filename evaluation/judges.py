"""Judges: does an answer say what the expected answer says?"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import floor
from typing import ClassVar, Literal, NamedTuple, Protocol

from evaluation.facts import Facts, facts
from evaluation.records import Label
from evaluation.statements import contradicted
from rag.cached import Progress
from rag.errors import InputError
from rag.records import NO_CALL, Usage

CITATION = re.compile(r"\[\d+\]")
EXPLAINED = re.compile(r"\([^()]*\)")  # what stands in brackets explains the answer and need not be said
OPENING = re.compile(r"\W*(?:(ja|yes)|(nein|no))\b", re.IGNORECASE)
Verdict = Literal["correct", "partly", "wrong"]


class Case(NamedTuple):
    """What a judge sees of a question. `expected` is never empty."""

    question: str
    expected: str
    answer: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """A label and the judge's `reason`, if it gives one. `label` None: it could not be judged, because of `error`.

    `usage`: tokens that it took; None: not known.
    """

    label: Label | None
    reason: str = ""
    error: str = ""
    usage: Usage | None = NO_CALL


class Judge(Protocol):
    """Compares answers with the expected ones: a judgement a case, with a label that is a `Verdict`.

    `name` says which judge, version, settings and prompts gave a label; `prompt_hash` is empty for a judge without
    prompts. `repeated(n)` is the same judge that judges anew what it has judged before, to measure its noise.
    """

    @property
    def name(self) -> str: ...

    @property
    def prompt_hash(self) -> str: ...

    def repeated(self, repeat: int) -> "Judge": ...

    def __call__(self, cases: Sequence[Case], progress: Progress | None = None) -> list[Judgement]: ...


@dataclass(frozen=True, slots=True)
class Deterministic:
    """Counts the expected facts that the answer holds; needs no model and gives the same label for ever.

    Hard facts are quantities with their unit, dates, clock times and codes that the question does not name itself and
    that stand in no brackets. All of them held, and a share `words` of the expected content words (rounded down) too:
    correct. All of them without these words: partly, and so are some of them with the words. Else wrong.
    Without hard facts the share of content words decides: `words_alone` for correct, half of it for partly.

    An answer that opens with yes where no is expected, or with no for yes, is wrong. One that contradicts a held fact
    in the same words (`evaluation/statements.py`) is partly right at most. No other falsehood or negation is seen.
    """

    words: float = 0.25
    words_alone: float = 0.6
    prompt_hash: ClassVar[str] = ""

    def __post_init__(self) -> None:
        if not (0 <= self.words <= 1 and 0 < self.words_alone <= 1):
            raise InputError(
                f"judge.words={self.words} must lie between 0 and 1,"
                f" judge.words_alone={self.words_alone} above 0 and at most 1"
            )

    @property
    def name(self) -> str:
        return f"deterministic-2(words={self.words}, words_alone={self.words_alone})"

    def repeated(self, repeat: int) -> "Deterministic":
        return self

    def __call__(self, cases: Sequence[Case], progress: Progress | None = None) -> list[Judgement]:
        return [Judgement(_verdict(self, *case)) for case in cases]

    def verdict(self, question: str, expected: str, answer: str) -> Verdict:
        if _opposed(expected, answer):
            return "wrong"
        asked, given = facts(question), facts(CITATION.sub(" ", answer))
        wanted = facts(EXPLAINED.sub(" ", expected).strip() or expected)
        held = _hard_facts_held(asked, wanted, given)
        words = wanted.words - asked.words
        if held:
            enough = len(words & given.words) >= floor(self.words * len(words))
            if all(held) and enough:
                return "partly" if contradicted(wanted.quantities | wanted.dates, answer) else "correct"
            return "partly" if all(held) or (any(held) and enough) else "wrong"  # one of several may be chance
        share = len(words & given.words) / len(words) if words else 1.0
        if share >= self.words_alone:
            return "correct"
        return "partly" if share >= self.words_alone / 2 else "wrong"


@lru_cache(maxsize=10_000)  # the points of a sweep often give the same answers
def _verdict(judge: Deterministic, question: str, expected: str, answer: str) -> Verdict:
    return judge.verdict(question, expected, answer)


def _opposed(expected: str, answer: str) -> bool:
    wanted, given = OPENING.match(expected), OPENING.match(answer)
    return bool(wanted and given and wanted.lastindex != given.lastindex)


def _hard_facts_held(asked: Facts, wanted: Facts, given: Facts) -> list[bool]:
    bare = {value for value, unit in given.quantities if not unit}  # a table states its unit in the header
    values = {value for value, _ in given.quantities}
    return [
        *((value, unit) in given.quantities or (value in bare if unit else value in values)
          for value, unit in wanted.quantities - asked.quantities),
        *(date in given.dates for date in wanted.dates - asked.dates),
        *(code in given.codes for code in wanted.codes - asked.codes),
    ]  # fmt: skip
