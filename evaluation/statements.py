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
    read = [(part, facts(part)) for part in END.split(answer)]
    holding = [(part, own) for part, own in read if len(own.words) > 1 and _values(own) & wanted]
    others = [(part, own) for part, own in read if not _values(own) & wanted]
    return any(
        _topic(one) == _topic(other) and _words(said) == _words(also) for said, one in holding for also, other in others
    )


def _words(statement: str) -> frozenset[str]:
    return frozenset(WORD.findall(statement.lower()))


def _values(statement: Facts) -> Set[tuple[Decimal, str] | str]:
    return {own for own in statement.quantities if own[1]} | statement.dates


def _topic(statement: Facts) -> tuple[object, ...]:
    bare = frozenset(value for value, unit in statement.quantities if not unit)
    units = sorted(unit for _, unit in statement.quantities if unit)
    return statement.codes, bare, units, len(statement.dates)
