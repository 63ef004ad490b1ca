"""python -m pipelines.evaluate [key=value ...]: one configuration, measured and logged as one MLflow run."""

from pipelines.command import answered, run


def evaluate(arguments: list[str]) -> int:
    if answered(lambda cfg: None, "config", arguments):
        return 0
    from pipelines.config import points
    from rag.errors import InputError

    configurations = points("config", arguments)
    if len(configurations) > 1:
        raise InputError("pipelines.evaluate takes one value for each key; python -m pipelines.sweep takes several")

    from pipelines.dry_run import print_dry_run
    from pipelines.plan import characters, prepare
    from pipelines.point import run_point
    from pipelines.progress import bar
    from pipelines.report import incomplete, point_summary
    from pipelines.tracking import tracking

    prepare(configurations)
    if configurations[0].dry_run:
        return print_dry_run(configurations)
    total = characters(configurations)
    tracking(configurations[0])  # a store that cannot be used is said before the bar
    with bar(total, 1):
        finished = run_point(configurations[0])
    print(point_summary(finished))
    if finished.reused:
        print("It was measured before, and nothing that counts has changed since: the run is the earlier one. A point")
        print("of a sweep has no traces; tracking.experiment=NAME measures it again in another experiment, with them.")
    for line in (missing := incomplete([finished])):
        print(line)
    return int(bool(missing))


if __name__ == "__main__":
    run(evaluate)
