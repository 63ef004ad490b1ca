"""A comparison in pictures, in words and as one page of HTML that needs nothing else."""

from base64 import b64encode
from io import BytesIO
from typing import TYPE_CHECKING

from evaluation.comparison.pictures import Bar, Mark, category_figure, effects_figure, front_figure, leaderboard_figure
from evaluation.decisions.axes import is_effect
from evaluation.decisions.noise import is_difference, noise_limit
from pipelines.comparison import Compared, noise_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MEASURE = {
    "correct": "Questions labelled correct",
    "wrong": "Questions labelled wrong",
    "recall_at_top_k": "Recall at the run's own top k",
    "mrr": "Mean reciprocal rank",
}


def pictures(found: Compared) -> "dict[str, Figure]":
    """By name: leaderboard, front, effects if there are any, categories."""
    import numpy as np

    measure, results = MEASURE[found.objective], found.results
    bars, marks = [], []
    for standing in found.standings:
        own, value = results[standing.row], standing.values[found.objective]
        bars.append(Bar(own.name, value.value, value.interval, standing.tied, standing.row == found.baseline))
        marks.append(Mark(own.name, own.latency_ms, own.context_tokens, value.value, standing.front))
    order = [standing.row for standing in found.standings]
    shares = np.column_stack([category.shares[order] for category in found.categories])
    drawn = {"leaderboard": leaderboard_figure(bars, measure), "front": front_figure(marks, measure)}
    if effects := found.effects[found.objective]:
        drawn["effects"] = effects_figure(effects, measure.lower(), noise_of(found, found.objective))
    columns = [(category.name, category.n) for category in found.categories]
    drawn["categories"] = category_figure([results[row].name for row in order], columns, shares)
    return drawn


def summary(found: Compared) -> list[str]:
    """What was found, a sentence a line; in Markdown."""
    chosen, results = found.chosen, found.results
    objective, n = found.objective, found.scores.measures[found.objective].shape[1]
    low, high = found.standings[0].values[objective].interval
    lines = [
        f"Best of {len(results)} runs: **{results[chosen.row].name}** with {objective} {chosen.raw:.3f}"
        f" ({low:.3f} to {high:.3f}, {n} questions); corrected for having been chosen: **{chosen.corrected:.3f}**."
    ]
    if chosen.row == found.baseline:
        lines.append("It is the baseline.")
    else:
        real = is_difference(chosen.gain, chosen.margin, noise_of(found, objective))
        lines.append(
            f"Against the baseline {results[found.baseline].name}: {chosen.gain:+.3f}, {_limit(found)}"
            f" (p = {chosen.p_value:.4f}): {'**better**' if real else '**no difference**'}."
        )
    tied = sum(standing.tied for standing in found.standings)
    if tied == 1:
        return [*lines, "No other run is tied with it."]
    fastest, shortest = results[chosen.fastest], results[chosen.shortest]
    return [
        *lines,
        f"{tied} runs are tied: the data cannot tell them from the best. Among them",
        f"the fastest is **{fastest.name}** ({milliseconds(fastest.latency_ms)} ms),",
        f"the one with the fewest context tokens **{shortest.name}** ({shortest.context_tokens:,.0f}).",
    ]


def milliseconds(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def _limit(found: Compared) -> str:
    noise = noise_of(found, found.objective)
    noise = noise_limit(noise)
    margin = found.chosen.margin
    return f"margin of error {margin:.3f}" if margin >= noise else f"noise of the judge {noise:.3f}"


def render(found: Compared, drawn: "dict[str, Figure]") -> str:
    """The page. Its script only sorts and filters; without it everything is there."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    pages = Environment(
        loader=PackageLoader("pipelines"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters["ms"] = milliseconds
    intervals = [standing.values[found.objective].interval for standing in found.standings]
    return pages.get_template("report.html").render(
        found=found,
        names=MEASURE,
        noise=noise_limit(found.judge_noise),
        real=is_difference,
        is_effect=is_effect,
        noise_of=noise_of,
        pictures={name: _embedded(figure) for name, figure in drawn.items()},
        sentences=[line.replace("**", "") for line in summary(found)],
        low=min(interval.low for interval in intervals),
        high=max(interval.high for interval in intervals),
        tags=found.selection.baseline.tags,
    )


def _embedded(figure: "Figure") -> str:
    import matplotlib

    file = BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "messlatte"}):  # the same runs give the same page
        figure.savefig(file, format="svg", metadata={"Date": None})
    return "data:image/svg+xml;base64," + b64encode(file.getvalue()).decode()
