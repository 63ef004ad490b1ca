"""The statements of an answer, and those that contradict each other."""

import re
from collections.abc import Set
from decimal import Decimal

from evaluation.facts import Facts, facts

END = re.compile(r"\[\d+\]|;|\n|(?<=[^\W\d_][.!?])\s")
WORD = re.compile(r"[^\W\d_]+")  # stop words too: "ohne Paris" is not "Paris"


def contradicted(wanted: Set[tuple[Decimal, str] | str], answer: str) -> bool:
    """Whether a statement with a wanted quantity or date has a twin: the same words, another value of the same unit.

    An old and a new version of a rule, quoted side by side, are such twins. Codes and numbers without unit (years,
    article numbers) tell two statements apart, and twins have at least two content words.
    """
    statements = [(facts(part), frozenset(WORD.findall(part.lower()))) for part in END.split(answer)]
    return any(
        said == also and _values(one) & wanted and not _values(other) & wanted and _topic(one) == _topic(other)
        for one, said in statements
        for other, also in statements
        if len(one.words) > 1
    )


def _values(statement: Facts) -> Set[tuple[Decimal, str] | str]:
    return {own for own in statement.quantities if own[1]} | statement.dates


def _topic(statement: Facts) -> tuple[object, ...]:
    bare = frozenset(value for value, unit in statement.quantities if not unit)
    units = sorted(unit for _, unit in statement.quantities if unit)
    return statement.codes, bare, units, len(statement.dates)
