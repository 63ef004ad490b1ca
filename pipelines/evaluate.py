"""python -m pipelines.evaluate [key=value ...]: one configuration, measured and logged as one MLflow run."""

from pipelines.command import asks_hydra, run, with_hydra


def evaluate(arguments: list[str]) -> int:
    if asks_hydra(arguments):
        with_hydra(lambda cfg: None, "config", arguments)
        return 0
    from pipelines.config import points

    configurations = points("config", arguments)
    if len(configurations) > 1:
        from rag.errors import InputError

        raise InputError("pipelines.evaluate takes one value for each key; python -m pipelines.sweep takes several")
    from pipelines.point import check, run_point
    from pipelines.progress import bar
    from pipelines.report import result
    from pipelines.tracking import Tracking

    (cfg,) = configurations
    check(cfg)
    tracking = Tracking(cfg.tracking.experiment, cfg.tracking.uri)
    with bar([cfg]):
        outcome = run_point(cfg, tracking)
    print(result(tracking.run(outcome.run_id), outcome.state))
    return 0


if __name__ == "__main__":
    run(evaluate)
