"""python -m pipelines.sweep [key=value,value ...]: every combination, each an MLflow run below one parent."""

from typing import TYPE_CHECKING

from pipelines.command import answered, run, with_hydra

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from pipelines.tracking import Run


def sweep(arguments: list[str]) -> int:
    if answered(point, "sweep", arguments):
        return 0
    from pipelines.config import axes, below, launcher, points, runs_here
    from pipelines.search.planned import planned

    search, where = planned(arguments), launcher("sweep", arguments)
    configurations = search.probes if search else points("sweep", arguments)

    from pipelines.baselines import baselines, tags
    from pipelines.fan_out import FanOut, uses_workers
    from pipelines.fingerprint import fingerprint
    from pipelines.plan import characters, prepare, sharing_order
    from pipelines.progress import bar
    from pipelines.receipt import Receipt
    from pipelines.report import close_sweep, sweep_name
    from pipelines.search.front import front_table
    from pipelines.tracking import tracking
    from pipelines.watch import close_dead, watched

    plain = baselines(configurations)
    beside = [cfg for cfg in plain if search or cfg not in configurations]  # a search need not come to them
    everything = [*beside, *configurations]
    prepare(everything)
    if configurations[0].dry_run:
        from pipelines.dry_run import print_dry_run

        return print_dry_run(everything)
    marks, receipt = tags(plain, beside), None
    if not search:
        print(f"{len(everything)} points: {' '.join(axes('sweep', arguments)) or 'no axis'}", flush=True)
        receipt = Receipt(everything, marks)
        if said := receipt.said():
            print(f"Finished before, and nothing has changed since, also in the store:\n\n{said}")
            return 0
    store = tracking(configurations[0])
    close_dead(store)
    workers = FanOut(configurations, where, store) if uses_workers(where) and not search else None
    if workers:
        workers.embed()
    expected: tuple[int | None, int]
    if search:
        name, expected = search.name, (None, len(beside) + search.settings.n_trials)
    else:
        name = sweep_name(configurations, len(beside))
        fresh = [cfg for cfg in everything if not store.finished(fingerprint(cfg))]
        expected = (None, len(beside)) if workers else (characters(fresh), len(everything))
    with store.sweep(name, marks) as parent:
        with watched(store, parent), bar(*expected):
            for cfg in beside:
                point(below(cfg, parent))
            if runs_here("sweep", arguments):  # Hydra would compose every point a second time
                for cfg in sharing_order(configurations):
                    point(below(cfg, parent))
            elif not workers:
                with_hydra(point, "sweep", [*arguments, f"tracking.parent={parent}"])
        if workers:
            workers.run(arguments, parent)
        said, code = close_sweep(store, parent)
        print(said)
        if search:
            print(front_table(store.points(parent), search.space.keys, search.settings))
    if receipt and not code:
        receipt.keep(said)
    return code


def point(cfg: "DictConfig") -> "Run | None":
    """The run of one point; a failed one leaves a FAILED run, and the others go on."""
    import logging

    from pipelines.point import run_point
    from pipelines.tracking import PointError

    try:
        return run_point(cfg)
    except PointError as failure:
        logging.warning("%s", failure)
        return None


if __name__ == "__main__":
    run(sweep)
