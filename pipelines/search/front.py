"""The points of a search that no other beats in both quality and latency."""

from collections.abc import Sequence

import numpy as np

from evaluation.decisions.pareto import pareto_front
from pipelines.search.settings import Settings
from pipelines.tracking import Run


def usable(run: Run, settings: Settings) -> bool:
    """Whether a run has an outcome for every question, and both of the search's measures."""
    wanted = (settings.quality, settings.latency)
    return run.status == "FINISHED" and run.metrics.get("coverage") == 1 and all(own in run.metrics for own in wanted)


def front(runs: Sequence[Run], settings: Settings) -> list[Run]:
    """From fast to slow."""
    fit = [run for run in runs if usable(run, settings)]
    if not fit:
        return []
    costs = np.array([[-run.metrics[settings.quality], run.metrics[settings.latency]] for run in fit])
    best = [run for run, on_front in zip(fit, pareto_front(costs), strict=True) if on_front]
    return sorted(best, key=lambda run: run.metrics[settings.latency])


def front_table(runs: Sequence[Run], axes: Sequence[str], settings: Settings) -> str:
    """The front with what its points chose on each axis."""
    import pandas as pd

    best = front(runs, settings)
    measures = (settings.quality, settings.latency)
    rows = [
        {
            **{own: run.metrics[own] for own in measures},
            **{axis: run.params.get(axis, "-") for axis in axes},
            "run": run.id,
        }
        for run in best
    ]
    title = f"Pareto set of {measures[0]} and {measures[1]}: {len(best)} of {len(runs)} points"
    return f"{title}\n{pd.DataFrame(rows).to_string(index=False, float_format='{:.3f}'.format)}" if rows else title
