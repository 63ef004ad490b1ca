"""python -m pipelines.sweep [key=value,value ...]: every combination, each an MLflow run below one parent."""

from typing import TYPE_CHECKING

from pipelines.command import asks_hydra, run, with_hydra

if TYPE_CHECKING:
    from omegaconf import DictConfig


def sweep(arguments: list[str]) -> int:
    if asks_hydra(arguments):
        with_hydra(point, "sweep", arguments)
        return 0
    from pipelines.config import launcher, points, runs_here

    configurations, where = points("sweep", arguments), launcher("sweep", arguments)

    from pipelines.dry_run import print_dry_run
    from pipelines.fan_out import FanOut, uses_workers
    from pipelines.fingerprint import fingerprint
    from pipelines.plan import characters, prepare, sharing_order
    from pipelines.progress import bar
    from pipelines.report import close_sweep, sweep_name
    from pipelines.tracking import tracking
    from pipelines.watch import close_dead, watched

    prepare(configurations)
    if configurations[0].dry_run:
        return print_dry_run(configurations)
    store = tracking(configurations[0])
    close_dead(store)
    if uses_workers(where):
        fan_out = FanOut(configurations, where, store)
        fan_out.embed()
        with store.sweep(sweep_name(configurations)) as parent:
            fan_out.run(arguments, parent)
            return close_sweep(store, parent)
    total = characters([cfg for cfg in configurations if not store.finished(fingerprint(cfg))])
    with store.sweep(sweep_name(configurations)) as parent:
        with watched(store, parent), bar(total, len(configurations)):
            if runs_here("sweep", arguments):  # Hydra would compose every point a second time
                for cfg in sharing_order(configurations):
                    point(below(cfg, parent))
            else:
                with_hydra(point, "sweep", [*arguments, f"tracking.parent={parent}"])
        return close_sweep(store, parent)


def below(cfg: "DictConfig", parent: str) -> "DictConfig":
    """The point as part of a sweep."""
    from omegaconf import read_write

    with read_write(cfg):
        cfg.tracking.parent = parent
    return cfg


def point(cfg: "DictConfig") -> None:
    """One point; a failed one leaves a FAILED run, and the others go on."""
    import logging

    from pipelines.point import run_point
    from pipelines.tracking import PointError

    try:
        run_point(cfg)
    except PointError as failure:
        logging.warning("%s", failure)


if __name__ == "__main__":
    run(sweep)
