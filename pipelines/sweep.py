"""python -m pipelines.sweep [key=value,value ...]: every combination, each an MLflow run below one parent."""

from typing import TYPE_CHECKING

from pipelines.command import asks_hydra, run, with_hydra

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from pipelines.tracking import Run


def sweep(arguments: list[str]) -> int:
    if asks_hydra(arguments):
        with_hydra(point, "sweep", arguments)
        return 0
    from pipelines.config import points
    from pipelines.search.planned import planned

    search = planned(arguments)
    configurations = search.probes if search else points("sweep", arguments)

    from pipelines.dry_run import print_dry_run
    from pipelines.plan import characters, prepare
    from pipelines.progress import bar
    from pipelines.report import close_sweep, sweep_name
    from pipelines.search.front import front_table
    from pipelines.tracking import tracking

    prepare(configurations)
    if configurations[0].dry_run:
        return print_dry_run(configurations)
    expected = (None, search.settings.n_trials) if search else (characters(configurations), len(configurations))
    store = tracking(configurations[0])
    with store.sweep(search.name if search else sweep_name(configurations)) as parent:
        with bar(*expected):
            with_hydra(point, "sweep", [*arguments, f"tracking.parent={parent}"])
        code = close_sweep(store, parent)
        if search:
            print(front_table(store.points(parent), search.space.keys, search.settings))
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
