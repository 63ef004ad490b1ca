"""The check report as text."""

from collections.abc import Iterator, Mapping, Sequence

from evaluation.golden.check import Report

GOOD_SHARE = (0.10, 0.15)


def as_text(report: Report) -> str:
    """The report for a terminal; ids are listed in full, as they are what has to be looked at."""
    return "\n".join(_lines(report))


def _lines(report: Report) -> Iterator[str]:
    n = report.questions
    yield f"golden set {report.version[:12]}: {n} questions"
    yield f"unusable: {len(report.findings)}"
    yield from (f"  {finding}" for finding in report.findings)
    yield f"categories: {_counts(report.categories)}"
    yield f"difficulties: {_counts(report.difficulties)}"
    yield f"groups: {_counts(report.groups)}"
    low, high = GOOD_SHARE
    share = len(report.unanswerable) / n
    verdict = "too few" if share < low else "too many" if share > high else "good"
    yield f"unanswerable: {_of(len(report.unanswerable), n)}, {verdict} (good practice: {low:.0%} to {high:.0%})"
    yield f"answerable without a reference (no retrieval measures): {_ids(report.unreferenced)}"
    yield f"duplicates and near-duplicates: {len(report.near_duplicates)}"
    yield from (f"  {pair.first} ~ {pair.second} ({pair.similarity:.0f} %)" for pair in report.near_duplicates)
    yield f"answerable, but the groups may not read the reference: {_ids(report.forbidden)}"
    yield f"stale, the referenced text has changed since the lock: {_ids(report.lock.stale)}"
    yield f"changed, but validated since, lock again: {_ids(report.lock.revalidated)}"
    lock = " (python -m pipelines.golden lock)" if report.lock.unlocked else ""
    yield f"not in the lock: {len(report.lock.unlocked)}{lock}"
    yield f"worded like their evidence (three content words in a row): {_of(len(report.copied), report.compared)}"
    margins = ", ".join(f"±{100 * margin:.1f} points at {share:.0%}" for share, margin in report.margins.items())
    yield f"95 % margin of error of one figure: {margins}"
    limit = f"{100 * report.detectable:.1f} points" if report.detectable <= report.discordant else "none"
    yield f"smallest significant difference of two configurations that disagree on {report.discordant:.0%}: {limit}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{value or '(none)'} {count}" for value, count in counts.items())


def _ids(ids: Sequence[str]) -> str:
    return f"{len(ids)}" + (f": {', '.join(ids)}" if ids else "")


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole}" + (f" ({part / whole:.0%})" if whole else "")
