"""python -m pipelines.promote RUN_OR_SWEEP|status|rollback [--tag KEY=VALUE] [key=value ...]

RUN_OR_SWEEP  id of a point's run, or of a sweep, of which the best point is taken: a gate decides whether it may
              become the champion, says why, and registers its model; exit code 1 if it may not
status        the champion, the version before it, and the history
rollback      make the version before the champion again

Keys: promote.objective (correct, recall_at_top_k, mrr), promote.model (name in the registry), force=true (promote
against the gate; recorded in the version's tags), tracking.experiment, tracking.uri
"""

import argparse
import re
from getpass import getuser
from typing import TYPE_CHECKING

from pipelines.command import run
from rag.errors import InputError

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from evaluation.decisions.gate import Decision
    from pipelines.promotion import Measured
    from pipelines.registry import Registry, Version
    from pipelines.tracking import Run, Tracking

HASHES = ("fingerprint", "corpus_hash", "golden_hash", "code_hash", "judge", "judge_prompt_hash", "prompt_hash")


def promote(arguments: list[str]) -> int:
    """Exit code 0; 1 if the gate refused. Raises InputError."""
    parser = argparse.ArgumentParser(
        prog="python -m pipelines.promote", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", metavar="RUN_OR_SWEEP|status|rollback")
    parser.add_argument("--tag", action="append", default=[], metavar="KEY=VALUE", help="a tag of your own")
    parser.add_argument("overrides", nargs="*", metavar="key=value")
    chosen = parser.parse_intermixed_args(arguments)
    tags = _own_tags(chosen.tag)

    from pipelines.config import points
    from pipelines.registry import Registry
    from pipelines.tracking import check_experiment, tracking, use_store

    (cfg,) = points("config", [re.sub("^force=", "promote.force=", own) for own in chosen.overrides])
    use_store(cfg.tracking.uri)
    registry = Registry(cfg.promote.model)
    if chosen.target == "status":
        return _status(registry)
    if chosen.target == "rollback":
        before, after = registry.rollback(getuser())
        print(f"{registry.name}: version {after.number} is the champion again, in place of version {before.number}")
        return 0
    check_experiment(cfg.tracking.experiment, cfg.tracking.uri)
    return _promote(cfg, tracking(cfg), registry, chosen.target, tags)


def _promote(cfg: "DictConfig", store: "Tracking", registry: "Registry", target: str, tags: dict[str, str]) -> int:
    family, named = _family(store, target)
    candidates = [_measured(run, cfg.tracking.uri) for run in family]
    decision = _decide(cfg, store, registry, candidates, None if named is None else family.index(named))
    chosen = candidates[decision.chosen]
    print(f"{chosen.run.name} ({chosen.run.id}), one of {len(family)}")
    for check in decision.checks:
        print(f"  {'yes' if check.passed else 'no ':3}  {check.reason}")
    if not decision.accepted and not cfg.promote.force:
        print(f"refused: {'; '.join(decision.reasons)}")
        if not store.validated(chosen.run.tags["judge"]):
            print(f"To check the judge: python -m pipelines.review export --run {chosen.run.id}, label the answers,")
            print("then import and agreement (docs/labels.md). force=true promotes without, and the version says so.")
        return 1
    own = _tags(chosen, decision)
    if taken := sorted(tags.keys() & own.keys()):
        raise InputError(f"--tag {taken[0]}=...: the gate writes this tag; choose another name")
    version = _register(cfg, registry, chosen, {**tags, **own})
    how = "accepted" if decision.accepted else "forced"
    print(f"{how}: version {version.number} of {registry.name} is the champion: {'; '.join(decision.reasons)}")
    return 0


def _family(store: "Tracking", target: str) -> "tuple[list[Run], Run | None]":
    """All runs among which the choice was made, and the one that was named, if it is not left to the gate."""
    from pipelines.comparable import comparable, warning
    from pipelines.tracking import KIND, PARENT

    run = store.run(target)
    kind, sweep = run.tags.get(KIND), run.tags.get(PARENT)
    if kind not in ("sweep", "point"):
        raise InputError(f"run {target}: no sweep and no point; name a run of pipelines.sweep or pipelines.evaluate")
    if kind == "point" and run.status != "FINISHED":
        raise InputError(f"run {target} is {run.status}; evaluate it again and name the new run")
    if kind == "sweep":
        sweep = target
    runs = [own for own in store.points(sweep) if own.status == "FINISHED"] if sweep else [run]
    groups = comparable(runs)
    if kind == "point":
        groups = [group for group in groups if target in (own.id for own in group)]
    if not groups:
        raise InputError(f"sweep {sweep}: no finished point")
    if kind == "point":
        return groups[0], next(own for own in groups[0] if own.id == target)
    if len(groups) > 1:
        raise InputError(f"sweep {target}: {warning(groups).removeprefix('WARNING: ')}; name one of its points")
    return groups[0], None


def _measured(run: "Run", uri: str | None) -> "Measured":
    from pipelines.promotion import Measured
    from pipelines.tracking import PastPoint

    return Measured(run, sorted(PastPoint(run.id, uri).questions(), key=lambda row: str(row["id"])))


def _decide(
    cfg: "DictConfig", store: "Tracking", registry: "Registry", candidates: "list[Measured]", chosen: int | None
) -> "Decision":
    from pipelines.promotion import incomparable, judge

    tags = candidates[0].run.tags
    by, objective = tags["judge"], cfg.promote.objective
    validated, noise = store.validated(by), store.noise(by)
    version = registry.champion()
    if version is None:
        return judge(candidates, None, objective, validated, noise, chosen)
    run = _champion_run(store, version, tags)
    if run is None:
        reason = (
            f"the champion (version {version.number}, {version.tags.get('point')}) was not measured with these"
            f" questions on these documents; evaluate its configuration on them: config.yaml of run {version.run}"
        )
        return incomparable(judge(candidates, None, objective, validated, noise, chosen), reason)
    others = [_measured(own, cfg.tracking.uri) for own in _others(store, version, run, candidates)]
    return judge(candidates, _measured(run, cfg.tracking.uri), objective, validated, noise, chosen, others)


def _others(store: "Tracking", version: "Version", champion: "Run", candidates: "list[Measured]") -> "list[Run]":
    """Runs measured like the candidates since the champion was made: who tries often enough is lucky in the end."""
    from pipelines.promotion import same_setup

    tags, known = candidates[0].run.tags, {own.run.id for own in candidates}
    tried = store.measured_on(tags["golden_hash"], tags["corpus_hash"], version.made)
    tried = [own for own in tried if own.id not in known and own.tags["judge"] == tags["judge"]]
    return [own for own in tried if not same_setup(own, champion)]


def _champion_run(store: "Tracking", version: "Version", tags: dict[str, str]) -> "Run | None":
    """The champion's own run, or a later one of the same set-up with the questions and documents of the candidates."""
    from pipelines.promotion import same_setup

    run = store.run(version.run)
    if all(run.tags[name] == tags[name] for name in ("golden_hash", "corpus_hash")):
        return run
    again = [own for own in store.measured_on(tags["golden_hash"], tags["corpus_hash"]) if same_setup(own, run)]
    again.sort(key=lambda own: own.tags["judge"] != tags["judge"])  # stable: the latest of those with the same judge
    return again[0] if again else None


def _register(cfg: "DictConfig", registry: "Registry", chosen: "Measured", tags: dict[str, str]) -> "Version":
    import tempfile
    from pathlib import Path

    from pipelines.fingerprint import fingerprint
    from pipelines.packing import pack
    from pipelines.tracking import FINGERPRINT, PastPoint

    measured = PastPoint(chosen.run.id, cfg.tracking.uri).config()
    if fingerprint(measured) != chosen.run.tags[FINGERPRINT]:
        raise InputError(
            f"run {chosen.run.id}: code, documents, questions or judge are not what they were;"
            " evaluate, name the new run"
        )
    with tempfile.TemporaryDirectory() as folder:
        version = registry.register(chosen.run.id, pack(measured, Path(folder)), tags)
    registry.crown(version)
    return version


def _tags(chosen: "Measured", decision: "Decision") -> dict[str, str]:
    """What a version says about itself. One that was forced says against which reasons."""
    from pipelines.promotion import headline
    from pipelines.registry import STATUS, now

    return {
        **{tag: chosen.run.tags[tag] for tag in HASHES if tag in chosen.run.tags},
        **headline(chosen.rows),
        "point": chosen.run.name,
        "reasons": "; ".join(decision.reasons),
        "forced": str(not decision.accepted).lower(),
        STATUS: "approved",
        "promoted_by": getuser(),
        "promoted_at": now(),
    }


def _status(registry: "Registry") -> int:
    champion, previous = registry.champion(), registry.previous()
    versions = registry.versions()
    if not versions:
        print(f"{registry.name}: nothing has been promoted yet")
        return 0
    for title, version in (("champion", champion), ("previous", previous)):
        print(f"{title}  {_line(version) if version else '-'}")
    print("history")
    for version in versions:
        print(f"  {_line(version)}")
    return 0


def _line(version: "Version") -> str:
    said = version.tags
    parts = [
        f"version {version.number}",
        said.get("promoted_at", "?"),
        said.get("promoted_by", "?"),
        said.get("point", version.run),
        f"correct {said.get('correct', '?')}",
        said.get("validation_status", "?"),
    ]
    if said.get("forced") == "true":
        parts.append(f"forced against: {said['reasons']}")
    if "rolled_back" in said:
        parts.append(said["rolled_back"])
    return "  ".join(parts)


def _own_tags(given: list[str]) -> dict[str, str]:
    if wrong := [own for own in given if not re.fullmatch(r"[\w./ -]+=.+", own, re.DOTALL)]:
        raise InputError(f"--tag {wrong[0]!r}: write --tag key=value, the key of letters, digits, - _ . / and spaces")
    return dict(own.partition("=")[::2] for own in given)


if __name__ == "__main__":
    run(promote)
