"""A gate's result for people: on the screen, as Markdown, and what it is called."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.decisions.findings import Finding
from evaluation.decisions.flip_list import Flip
from evaluation.decisions.intervals import Interval
from evaluation.decisions.regression import GROUP as REGRESSION

HEAD = ("Check", "Value", "95 % interval", "Limit", "Verdict", "Reason")
SHOWN = 20


@dataclass(frozen=True, slots=True)
class Result:
    """`subject`, `base`: what was measured and what it was compared with, for people. `run`: the gate's own.

    `point`: the run that was measured; `lost`: questions that got worse.
    """

    subject: str
    base: str
    run: str
    point: str
    findings: Sequence[Finding]
    lost: Sequence[Flip]

    @property
    def passed(self) -> bool:
        """Nothing failed, and something was measured at all."""
        verdicts = [own.verdict for own in self.findings]
        return "failed" not in verdicts and "passed" in verdicts

    @property
    def headline(self) -> str:
        """For example `gate FAILED: 2 failed, 11 passed, 2 not measured`."""
        counted = Counter(own.verdict for own in self.findings)
        counts = ", ".join(f"{counted[own]} {own}" for own in ("failed", "passed", "not measured") if counted[own])
        return f"gate {'passed' if self.passed else 'FAILED'}: {counts or 'nothing was checked'}"


def text(result: Result) -> str:
    """The table for a terminal."""
    rows = [HEAD, *map(cells, result.findings)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD) - 1)]
    lines = ["  ".join([*(own.ljust(width) for own, width in zip(row, widths, strict=False)), row[-1]]) for row in rows]
    return "\n".join([result.subject, result.base, "", *(line.rstrip() for line in lines), "", result.headline])


def markdown(result: Result) -> str:
    """The page for a pull request or a run: headline, table, questions that got worse."""
    lines = [
        f"## {result.headline[0].upper()}{result.headline[1:]}",
        "",
        _cell(result.subject),
        "",
        _cell(result.base),
        "",
    ]
    lines += _table(HEAD, [_marked(own) for own in result.findings])
    if result.lost:
        lines += ["", f"### Questions that got worse: {len(result.lost)}", ""]
        head = ("Question", "", "Category", "Before", "Now", "Cause")
        lines += _table(head, [_row(own) for own in result.lost[:SHOWN]])
        if len(result.lost) > SHOWN:
            lines += ["", f"... and {len(result.lost) - SHOWN} more: `python -m pipelines.compare` lists them all."]
    return "\n".join([*lines, "", f"MLflow run of the gate: `{result.run}`, of the point: `{result.point}`", ""])


def row(own: Finding) -> dict[str, str | float | None]:
    """One for `checks.json`."""
    low, high = own.interval or (None, None)
    return {
        "kind": own.group,
        "check": own.name,
        "value": own.value,
        "low": low,
        "high": high,
        "limit": own.limit,
        "verdict": own.verdict,
        "reason": own.reason,
    }


def cells(own: Finding) -> tuple[str, ...]:
    sign = "+" if own.group == REGRESSION else ""
    value = "-" if own.value is None else f"{own.value:{sign}.3f}"
    verdict = own.verdict.upper() if own.verdict == "failed" else own.verdict
    return (own.name, value, _interval(own.interval, sign), own.limit, verdict, own.reason)


def _interval(own: Interval | None, sign: str) -> str:
    return f"{own.low:{sign}.3f} to {own.high:{sign}.3f}" if own else ""


def _marked(own: Finding) -> tuple[str, ...]:
    """A row in which what failed stands out."""
    row = cells(own)
    return tuple(f"**{_cell(cell)}**" if column in (0, 4) and own.verdict == "failed" else _cell(cell)
                 for column, cell in enumerate(row))  # fmt: skip


def _row(own: Flip) -> tuple[str, ...]:
    before, after = own.before, own.after
    return tuple(map(_cell, (after.id, after.question, after.category, before.label, after.label, after.cause)))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]


def _cell(text: str) -> str:
    """Text of the user's as Markdown shows it: on one line, with its own signs."""
    plain = " ".join(text.split())
    for sign in "\\`*_|<[":
        plain = plain.replace(sign, f"\\{sign}")
    return plain
