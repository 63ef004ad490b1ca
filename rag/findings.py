"""Records that cannot be used, collected so that all of them are reported at once."""

import reprlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rag.errors import InputError

SHOWN = 10


@dataclass(frozen=True, slots=True)
class Finding:
    """One record that cannot be used: where it stands, what is wrong, what to do. `kind` is what findings count by."""

    record: str
    problem: str
    remedy: str
    kind: str

    def __str__(self) -> str:
        return " ".join(f"{self.record}: {self.problem} ({self.remedy})".split())  # ids may contain line ends


class RecordError(Exception):
    """Raised while a single record is read; whoever knows its place makes a `Finding` of it."""

    def __init__(self, kind: str, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.kind, self.problem, self.remedy = kind, problem, remedy

    def at(self, record: str) -> Finding:
        return Finding(record, self.problem, self.remedy, self.kind)


def summary(findings: Sequence[Finding]) -> str:
    """How many, which kinds, and the first ones in full, on one line."""
    kinds = ", ".join(f"{count} x {kind}" for kind, count in Counter(f.kind for f in findings).most_common())
    first = "; ".join(map(str, findings[:SHOWN]))
    rest = f"; and {len(findings) - SHOWN} more" if len(findings) > SHOWN else ""
    return f"{len(findings)} unusable ({kinds}): {first}{rest}"


def stop_on(findings: Sequence[Finding], source: str) -> None:
    """Raise one InputError for all findings; `source` names the file or data set. No findings: nothing happens."""
    if findings:
        raise InputError(f"{source}: {summary(findings)}")


_SHORT = reprlib.Repr()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxlong = 2, 60, 60


def brief(value: object) -> str:
    """`repr` cut to what fits into a message; control characters and line ends come out escaped."""
    return _SHORT.repr(value)
