"""python -m pipelines.sweep [key=value,value ...]: every combination, each an MLflow run below one parent."""

from pipelines.command import asks_hydra, run, with_hydra


def sweep(arguments: list[str]) -> int:
    if asks_hydra(arguments):
        with_hydra(lambda cfg: None, "sweep", arguments)
        return 0
    from pipelines.config import points
    from pipelines.plan import axes

    configurations = points("sweep", arguments)
    from pipelines.point import Outcome, check, run_point
    from pipelines.progress import bar, note
    from pipelines.report import close_sweep
    from pipelines.tracking import Tracking

    for cfg in configurations:
        check(cfg)
    first = configurations[0]
    tracking = Tracking(first.tracking.experiment, first.tracking.uri)
    outcomes: list[Outcome] = []

    def point(cfg) -> None:
        outcome = run_point(cfg, tracking)
        ...
