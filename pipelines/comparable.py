"""Which runs may be compared: those measured with the same questions on the same documents by the same judge."""

from collections.abc import Sequence

from pipelines.tracking import Run

NAMES = {"golden_hash": "golden set", "corpus_hash": "corpus", "judge": "judge"}
MEASURED_ON = tuple(NAMES)


def comparable(runs: Sequence[Run]) -> list[list[Run]]:
    """The runs in groups that share golden set, corpus and judge, in order of first appearance."""
    groups: dict[tuple[str | None, ...], list[Run]] = {}
    for run in runs:
        groups.setdefault(tuple(run.tags.get(tag) for tag in MEASURED_ON), []).append(run)
    return list(groups.values())


def differences(groups: Sequence[Sequence[Run]]) -> str:
    """What differs between the groups that `comparable` gives; "" for one group."""
    versions = {tag: [shown(tag, group[0].tags.get(tag) or "unknown") for group in groups] for tag in MEASURED_ON}
    return ", ".join(f"{NAMES[tag]} {' / '.join(own)}" for tag, own in versions.items() if len(set(own)) > 1)


def warning(groups: Sequence[Sequence[Run]]) -> str:
    """One line on what differs between the groups; "" when there is nothing to warn about."""
    if len(groups) < 2:
        return ""
    return f"WARNING: not ranked together, as runs were measured differently: {differences(groups)}"


def shown(tag: str, value: str) -> str:
    """The value of one of these tags, a hash by its beginning."""
    return value[:12] if tag.endswith("_hash") else value
