"""Which runs a comparison is about."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.comparable import comparable, differences, warning
from pipelines.tracking import BASELINE, BESIDE, FINGERPRINT, KIND, PRUNED, Run, Tracking
from rag.errors import InputError


@dataclass(frozen=True, slots=True)
class Selection:
    """Runs that may be ranked together; `baseline` is one of them.

    `left_out`: what was found beside them, with the reason. `warned`: what differs between them and those, or "".
    `sweep`: the one sweep that was named, else None. `beside`: ids of runs that were measured as a baseline only, and
    are no combination of a sweep's axes.
    """

    runs: tuple[Run, ...]
    baseline: Run
    left_out: tuple[tuple[Run, str], ...]
    warned: str
    sweep: str | None
    beside: frozenset[str]


def select(store: Tracking, named: Sequence[str], baseline: str) -> Selection:
    """The named points, the points of the named sweeps, or without names those of the experiment.

    Of runs that were measured differently those like the last are taken, and runs without an outcome for every
    question are left out; points that are named one by one must all be fit. Raises InputError for what is not there,
    for fewer than two runs and for a baseline that cannot be ranked with them.
    """
    found = [store.run(run_id) for run_id in named]
    if odd := [run for run in found if run.tags.get(KIND) not in ("point", "sweep")]:
        raise InputError(f"run {odd[0].id}: neither a sweep nor a point; name a sweep or runs of pipelines.evaluate")
    one_by_one = [run for run in found if run.tags[KIND] == "point"]
    sweeps = [run for run in found if run.tags[KIND] == "sweep"] if named else store.sweeps()
    swept = {sweep.id: store.points(sweep.id) for sweep in sweeps}
    points = [point for own in swept.values() for point in own] if named else store.all_points()
    runs = list({run.id: run for run in [*points, *one_by_one]}.values())
    fit = [run for run in runs if not _unfit(run)]
    groups = comparable(fit)
    ranked = next((group for group in groups if fit[-1] in group), [])
    left_out = [(run, _unfit(run) or f"measured differently: {differences([ranked, [run]])}") for run in runs]
    left_out = [(run, reason) for run, reason in left_out if run not in ranked]
    if strange := [(run, reason) for run, reason in left_out if run in one_by_one]:
        raise InputError(f"run {strange[0][0].id} cannot be ranked with the others: {strange[0][1]}")
    base = _baseline(store, baseline, ranked) if baseline else None
    if base and base not in ranked:
        ranked = [base, *ranked]
    if len(ranked) < 2:
        beside = f", {len(left_out)} left out ({left_out[0][1]})" if left_out else ""
        raise InputError(f"{len(ranked)} finished run{'' if ranked else 's'} to compare{beside}; two are needed")
    base = base or next((run for sweep in sweeps for run in ranked if _is(BASELINE, run, sweep)), ranked[0])
    aside = {run.id for sweep in sweeps for run in swept[sweep.id] if _is(BESIDE, run, sweep)}
    on_axes = {run.id for sweep in sweeps for run in swept[sweep.id] if not _is(BESIDE, run, sweep)}
    return Selection(
        runs=tuple(ranked),
        baseline=base,
        left_out=tuple(left_out),
        warned=warning(groups),
        sweep=sweeps[0].id if len(named) == len(sweeps) == 1 else None,
        beside=frozenset(aside - on_axes - {run.id for run in one_by_one}),
    )


def _is(tag: str, run: Run, sweep: Run) -> bool:
    """Whether the sweep's tag names the run."""
    return run.tags.get(FINGERPRINT, "?") in sweep.tags.get(tag, "").split()


def _baseline(store: Tracking, named: str, ranked: Sequence[Run]) -> Run:
    run = store.run(named)
    if run.tags.get(KIND) != "point":
        raise InputError(f"baseline={named}: not a point; name a run of pipelines.evaluate or a point of a sweep")
    if reason := _unfit(run) or differences(comparable([*ranked, run])):
        raise InputError(f"baseline={named} cannot be ranked with the others: {reason}")
    return next((own for own in ranked if own.id == run.id), run)


def _unfit(run: Run) -> str:
    if run.status != "FINISHED":
        return run.tags.get(PRUNED) or f"its status is {run.status}"
    failed = int(run.metrics.get("n_failed", 0))
    return f"{failed} of its questions have no outcome" if failed else ""
