"""Pictures of results, as matplotlib figures that belong to no global state."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from evaluation.causes import Cause

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STAGE_NAME: dict[Cause | None, str] = {
    None: "Evidence that the questions need",
    "document_missing": "Document missing or outdated",
    "cut_apart": "Cut apart by the chunking",
    "not_a_candidate": "In no list of candidates",
    "lost_in_fusion": "Lost when the lists were fused",
    "lost_by_reranker": "Pushed down by the reranker",
    "cut_by_top_k": "Found, but below the top k",
}
_KEPT, _LOST, _MUTED, _INK = "#2b6cb0", "#c05621", "#a0aec0", "#2d3748"


def waterfall_figure(steps: Sequence[tuple[Cause | None, int]], title: str = "Where evidence was lost") -> "Figure":
    """A waterfall from all units of evidence to those that reached the answer; `steps` as `causes.waterfall` gives."""
    from matplotlib.figure import Figure

    left, last = [left for _, left in steps], len(steps)
    total, reached = left[0], left[-1]
    losses = [before - after for before, after in pairwise(left)]
    figure = Figure(figsize=(9, 4.4))
    # Texts instead of a title and an axis with ticks, which take most of the time, and every point draws this.
    axes = figure.add_axes((0.3, 0.04, 0.68, 0.87))
    axes.set_axis_off()

    axes.barh([0, last], [total, reached], color=_KEPT, height=0.62)
    axes.barh(range(1, last), losses, left=left[1:], color=_LOST, height=0.62)
    axes.vlines(left, range(last), range(1, last + 1), color=_MUTED, linewidth=0.8, zorder=0)
    gap = 0.006 * total
    axes.text(total + gap, 0, str(total), va="center", color=_INK, fontweight="bold")
    for row, (before, lost) in enumerate(zip(left, losses, strict=False), start=1):
        label = f"−{lost} ({lost / total:.1%})" if lost else "0"
        axes.text(before + gap, row, label, va="center", color=_LOST if lost else _MUTED)
    share = f" ({reached / total:.1%})" if total else ""
    axes.text(reached + gap, last, f"{reached}{share}", va="center", color=_INK, fontweight="bold")

    names = [_STAGE_NAME[stage] for stage, _ in steps] + ["Evidence that reached the answer"]
    for row, name in enumerate(names):
        axes.text(-0.01, row, name, ha="right", va="center", transform=axes.get_yaxis_transform())
    axes.set_ylim(last + 0.5, -0.5)
    axes.set_xlim(0, max(total, 1) * 1.16)
    figure.text(0.3, 0.93, f"{title}, in pieces of evidence", fontsize="large", fontweight="bold", color=_INK)
    return figure


def quality_latency_figure(points: Sequence[tuple[str, float, float, str]]) -> "Figure":
    """Share of correct answers against latency, one mark a sweep point: (name, milliseconds, share, series).

    Points that no other beats in both are joined, numbered and named beside the picture.
    """
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.ticker import LogLocator, NullFormatter, PercentFormatter, StrMethodFormatter

    figure = Figure(figsize=(12, 5.5), layout="constrained")
    axes = figure.subplots()
    for number, series in enumerate(dict.fromkeys(series for *_, series in points)):
        x, y = zip(*((latency, share) for _, latency, share, name in points if name == series), strict=True)
        axes.scatter(x, y, s=55, marker="osD^vP"[number % 6], label=series, alpha=0.8)
    front = pareto_front(points)
    axes.plot([p[1] for p in front], [p[2] for p in front], color=_MUTED, linewidth=1, zorder=0)
    handles, _ = axes.get_legend_handles_labels()
    for number, (name, latency, share, _) in enumerate(front, start=1):
        axes.annotate(str(number), (latency, share), (-4, 8), textcoords="offset points", color=_INK, fontweight="bold")
        handles.append(Line2D([], [], linestyle="", marker=f"${number}$", color=_INK, label=name))
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.set_xlabel("Retrieval and reranking of one question, median in milliseconds (log scale)")
    axes.set_ylabel("Questions labelled correct")
    axes.set_title("Quality against latency", loc="left", fontweight="bold", color=_INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    axes.margins(x=0.1, y=0.12)
    figure.legend(handles=handles, frameon=False, loc="outside right upper", fontsize=9)
    return figure


def pareto_front(points: Sequence[tuple[str, float, float, str]]) -> list[tuple[str, float, float, str]]:
    """The points that no other point equals or beats in both latency and share, from fast to slow."""
    front: list[tuple[str, float, float, str]] = []
    for point in sorted(points, key=lambda p: (p[1], -p[2])):
        if not front or point[2] > front[-1][2]:
            front.append(point)
    return front
