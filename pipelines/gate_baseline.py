"""What a gate compares with, and on which questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipelines.registry import Registry
from pipelines.tracking import KIND, MEASURED, PastPoint, Run, Tracking
from rag.errors import InputError

ACCEPTED, NONE = "accepted", "none"
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Baseline:
    """A measured point with its rows of `questions.json`; `said`: where it comes from, for people."""

    run: Run
    said: str
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Common:
    """Rows of `questions.json` of the questions that both runs were asked, in the same order.

    `unlike`: how many questions of the later run are new or are no longer what they were.
    """

    before: Sequence[Row]
    after: Sequence[Row]
    unlike: int


def baseline(store: Tracking, registry: Registry, uri: str | None, named: str, judge: str) -> Baseline | None:
    """The last accepted run by this judge, else the champion's, else the last by another judge; or the one named.

    None: there is none, or `none` was named. Raises InputError for a name that is no finished point.
    """
    if named == NONE:
        return None
    if named != ACCEPTED:
        run = store.run(named)
        if run.tags.get(KIND) != "point" or run.status != "FINISHED":
            raise InputError(f"gate.baseline={named}: no finished point; write {ACCEPTED}, {NONE} or a point's run id")
        return Baseline(run, f"run {run.id}", PastPoint(run.id, uri).questions())
    found = [
        (own.tags["judge"], own.tags[MEASURED], f"the last accepted gate run {own.id}") for own in store.accepted()
    ]
    if version := registry.champion():
        run = store.run(version.run)
        found.append((run.tags["judge"], run.id, f"the champion's own run {run.id}"))
    alike = [own for own in found if own[0] == judge]
    return next((Baseline(store.run(id), said, PastPoint(id, uri).questions()) for _, id, said in alike or found), None)


def common(before: Sequence[Row], after: Sequence[Row]) -> Common:
    """Pair the questions that are still the same: text, expected answer, and the documents that answer it."""
    earlier = {_asked(row): row for row in before}
    pairs = [(earlier[_asked(row)], row) for row in after if _asked(row) in earlier]
    return Common([one for one, _ in pairs], [other for _, other in pairs], len(after) - len(pairs))


def _asked(row: Row) -> tuple[Any, ...]:
    documents = {reference.rpartition(":")[0] for reference in row["references"]}  # spans move with every edit
    return (row["id"], row["question"], row["expected_answer"], row["answerable"], tuple(sorted(documents)))
