"""What a command says at its end, on the screen and on the sweep's own run."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from omegaconf import DictConfig

from evaluation.decisions.noise import UNMEASURED
from evaluation.golden.precision import margin_of_error
from evaluation.pictures import quality_latency_figure
from pipelines import guide, view
from pipelines.comparable import MEASURED_ON, comparable, shown, warning
from pipelines.tracking import PRUNED, Run, Tracking

if TYPE_CHECKING:
    import pandas as pd

AXES = ("chunking", "chunking.size", "chunking.overlap", "embedding", "retrieval", "retrieval.top_k", "reranker")
METRICS = (
    "correct",
    "wrong",
    "declined",
    "recall_at_top_k",
    "recall_at_8",
    "precision_at_8",
    "mrr",
    "latency_p50_ms",
    "context_tokens",
    "coverage",
    "cost_per_month",
)
SHOWN = 10


def leaderboard(runs: Sequence[Run]) -> "pd.DataFrame":
    """Comparable points, the largest share of correct answers first, then the highest recall at their own top_k.

    Points with questions that failed stand below all others: their shares are of fewer questions.
    """
    import pandas as pd

    rows = [
        {
            "point": name,
            **{metric: run.metrics[metric] for metric in METRICS if metric in run.metrics},
            "n": run.metrics.get("n_labels", 0.0),
            **{axis: run.params[axis] for axis in AXES},
            **{tag: shown(tag, run.tags[tag]) for tag in MEASURED_ON},
            "run": run.id,
            "reused": run.reused,
        }
        for run, name in zip(runs, distinct_names(runs), strict=True)
    ]
    table = pd.DataFrame(rows)
    if "correct" not in table:  # no question of any point got a label
        table["correct"] = float("nan")
    wanted = ("coverage", "correct", "recall_at_top_k")
    order = [column for column in wanted if column in table]  # no references, no recall
    return table.sort_values(order, ascending=False, kind="stable")


def distinct_names(runs: Sequence[Run]) -> list[str]:
    """The runs' names; those that share one are told apart by the parameters in which they differ."""
    names = []
    for run in runs:
        alike = [own.params for own in runs if own.name == run.name]
        differ = sorted(key for key in run.params if any(own.get(key) != run.params[key] for own in alike))
        names.append(" · ".join([run.name, *(f"{key} {run.params[key]}" for key in differ)]))
    return names


def close_sweep(store: Tracking, sweep: str) -> tuple[str, int]:
    """Log leaderboard, picture and description to the sweep; its result in words, 1 if points failed or are incomplete.

    Points that were measured differently are ranked apart, with a warning; the picture shows the largest group.
    """
    import pandas as pd

    runs = store.points(sweep)
    pruned = [run for run in runs if PRUNED in run.tags]
    failed = [run for run in runs if run.status != "FINISHED" and run not in pruned]
    groups = comparable([run for run in runs if run.status == "FINISHED"])
    tables = [leaderboard(group) for group in groups]
    said = []
    if tables:
        largest: Any = max(tables, key=len).dropna(subset="correct").to_dict("records")
        figure = quality_latency_figure(
            [(r["point"], r["latency_p50_ms"], r["correct"], f"{r['embedding']} · {r['reranker']}") for r in largest]
        )
        store.attach(sweep, pd.concat(tables), figure, _note(tables, warning(groups), failed))
        said += [f"{_screen(table)}\n\nMargin of error of `correct`: {_margin(table)}\n" for table in tables]
        if len(groups) > 1:
            said.append(warning(groups))
    reused = sum(run.reused for run in runs)
    said.append(
        f"{len(runs) - len(failed) - len(pruned)} points in the sweep's run {sweep}"
        + (f", {reused} of them reused" if reused else "")
        + (f"; {len(pruned)} more were left after the first questions (tag `{PRUNED}`)" if pruned else "")
    )
    said.append(f"See them: {_server(store.uri)}{view.address(store.experiment_id)}")
    said += [f"FAILED {run.name}: {run.tags.get('error', 'no error was recorded')}" for run in failed]
    said += (missing := incomplete(runs))
    return "\n".join(said), int(bool(failed or missing))


def _server(uri: str) -> str:
    """Where the runs are to be seen; a name and password in the address are not."""
    return (
        re.sub("//[^/@]*@", "//", uri)
        if uri.startswith("http")
        else "`make ui` or `mlflow ui`, then http://127.0.0.1:5000"
    )


def incomplete(runs: Sequence[Run]) -> list[str]:
    """A line for each finished point with questions that failed."""
    return [
        f"INCOMPLETE {run.name}: {run.metrics['n_failed']:.0f} questions failed, see `error` in"
        f" questions.json of run {run.id}; the same command asks them again"
        for run in runs
        if run.metrics.get("n_failed")
    ]


def _screen(table: "pd.DataFrame") -> str:
    best = table.head(SHOWN).drop(columns=["n", "run", "reused", *AXES, *MEASURED_ON])
    if (best.coverage == 1).all():
        best = best.drop(columns="coverage")
    best.insert(0, "#", range(1, len(best) + 1))
    text = best.to_string(index=False, float_format=lambda value: f"{value:.3f}" if value < 10 else f"{value:.0f}")
    return text + (f"\n... and {len(table) - SHOWN} more" if len(table) > SHOWN else "")


def _margin(table: "pd.DataFrame") -> str:
    n = int(table["n"].iloc[0])
    if not n:
        return "unknown, as no question got a label"
    margin = f"at most ±{margin_of_error(0.5, n):.3f} with {n} questions"
    return f"{margin}; a smaller difference, or one below {UNMEASURED}, the usual noise of a judge, is none"


def _note(tables: Sequence["pd.DataFrame"], warned: str, failed: Sequence[Run]) -> str:
    return "\n".join(
        [
            *([warned, ""] if warned else []),
            *(line for table in tables for line in _ranked(table)),
            guide.SWEEP,
            *(f"\n**FAILED** {run.name}: {run.tags.get('error', '')}" for run in failed),
        ]
    )


def _ranked(table: "pd.DataFrame") -> list[str]:
    wanted = ("point", "correct", "recall_at_top_k", "mrr", "latency_p50_ms")
    columns = [column for column in wanted if column in table]
    lines = [
        "| " + " | ".join(f"{row[c]:.3f}" if c != "point" else str(row[c]) for c in columns) + " |"
        for _, row in table.head(SHOWN).iterrows()
    ]
    return [
        f"{len(table)} points, best share of correct answers first. Margin of error: {_margin(table)}.",
        "",
        f"| {' | '.join(columns)} |",
        "|" + "---|" * len(columns),
        *lines,
        "",
    ]


def sweep_name(grid: Sequence[DictConfig], beside: int = 0) -> str:
    """For example `sweep · 33 points · chunking.size, embedding`. `beside`: baselines that are not in the grid."""
    from pipelines.names import params

    every = [params(cfg) for cfg in grid]
    varied = [key for key in every[0] if len({str(own.get(key)) for own in every}) > 1]
    axes = [key for key in AXES if key in varied] + [key for key in varied if key not in AXES and "." not in key]
    name = f"sweep · {len(grid) + beside} points"
    return f"{name} · {', '.join(axes)}" if axes else name


def point_summary(run: Run) -> str:
    numbers = [f"  {metric:18} {run.metrics[metric]:.3f}" for metric in METRICS if metric in run.metrics]
    return "\n".join([run.name, *numbers, "", run.tags.get("mlflow.note.content", ""), "", f"MLflow run {run.id}"])
