"""Pictures of many runs, as matplotlib figures that belong to no global state."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.decisions.axes import Effect, is_effect
from evaluation.decisions.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, MUTED, INK = "#2b6cb0", "#c05621", "#2f855a", "#a0aec0", "#2d3748"
SHOWN = 25


class Bar(NamedTuple):
    """A run in the picture of the leaderboard."""

    name: str
    value: float
    interval: Interval
    tied: bool
    baseline: bool


class Mark(NamedTuple):
    """A run in the picture of the front."""

    name: str
    latency_ms: float
    tokens: float
    quality: float
    front: bool


def leaderboard_figure(bars: Sequence[Bar], measure: str) -> "Figure":
    """The best runs with their intervals, in the order given; the baseline too, wherever it stands."""
    from matplotlib.lines import Line2D

    shown = [bar for rank, bar in enumerate(bars) if rank < SHOWN or bar.baseline]
    figure, axes = _figure(1.6 + 0.27 * len(shown))
    for row, bar in enumerate(shown):
        colour = ORANGE if bar.baseline else BLUE if bar.tied else MUTED
        axes.plot(bar.interval, [row, row], color=colour, linewidth=2.4, solid_capstyle="round", alpha=0.55)
        axes.plot(bar.value, row, "D" if bar.baseline else "o", color=colour, markersize=6.5)
    axes.axvline(shown[0].value, color=BLUE, linewidth=0.8, linestyle=":", zorder=0)
    axes.set_yticks(range(len(shown)), [bar.name for bar in shown], fontsize=9)
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.set_xlabel(f"{measure}, with 95 % interval")
    _title(axes, "Leaderboard" + (f": the best {SHOWN} of {len(bars)}" if len(bars) > SHOWN else ""))
    kinds = {"tied with the best": (BLUE, "o"), "behind the best": (MUTED, "o"), "baseline": (ORANGE, "D")}
    marks = [Line2D([], [], color=c, marker=m, linestyle="", label=name) for name, (c, m) in kinds.items()]
    figure.legend(handles=marks, loc="outside lower right", ncols=3, frameon=False, fontsize=9)
    return figure


def front_figure(marks: Sequence[Mark], measure: str) -> "Figure":
    """Quality against latency, coloured by context tokens; runs of the front are numbered and named beside it."""
    from matplotlib.lines import Line2D
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    figure, axes = _figure(5.6, width=13)
    marks = sorted(marks, key=lambda mark: (mark.front, mark.latency_ms))  # those of the front on top
    x, y = [mark.latency_ms for mark in marks], [mark.quality for mark in marks]
    sizes, edges = zip(*((210, INK) if mark.front else (60, "white") for mark in marks), strict=True)
    tokens = [mark.tokens for mark in marks]
    dots = axes.scatter(x, y, s=sizes, c=tokens, cmap="viridis_r", edgecolors=edges, linewidths=1.2)
    handles = []
    for number, mark in enumerate((mark for mark in marks if mark.front), start=1):
        dark = mark.tokens > (min(tokens) + max(tokens)) / 2
        axes.text(
            mark.latency_ms,
            mark.quality,
            str(number),
            ha="center",
            va="center_baseline",
            fontsize=8.5,
            fontweight="bold",
            color="white" if dark else INK,
        )
        if number <= SHOWN:
            label = f"{mark.name}  ({mark.quality:.3f}, {mark.latency_ms:,.0f} ms, {mark.tokens:,.0f} tokens)"
            handles.append(Line2D([], [], linestyle="", marker=f"${number}$", color=INK, label=label))
    figure.colorbar(dots, ax=axes, label="Context tokens a question", pad=0.01, aspect=30)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("Retrieval and reranking of one question, median in milliseconds (log scale)")
    axes.set_ylabel(measure)
    axes.margins(x=0.08, y=0.12)
    _title(axes, "Quality, latency and tokens: the numbered runs are beaten by none in all three")
    figure.legend(handles=handles, loc="outside lower left", frameon=False, fontsize=8.5, ncols=1)
    figure.set_figheight(5.2 + 0.2 * len(handles))
    return figure


def effects_figure(effects: Sequence[Effect], measure: str, judge_noise: float | None) -> "Figure":
    """What every level of every axis did against the axis's first level, with intervals; grey: no difference."""
    figure, axes = _figure(1.5 + 0.36 * len(effects))
    for row, effect in enumerate(effects):
        real = is_effect(effect, judge_noise)
        colour = MUTED if not real else BLUE if effect.difference > 0 else ORANGE
        axes.plot(effect.interval, [row, row], color=colour, linewidth=2.6, solid_capstyle="round", alpha=0.55)
        axes.plot(effect.difference, row, "o", color=colour, markersize=7)
        axes.annotate(
            f"{effect.difference:+.3f}", (effect.difference, row), (0, 6), textcoords="offset points", ha="center",
            fontsize=8, color=colour if colour != MUTED else INK,
        )  # fmt: skip
    names = [f"{effect.axis}:  {effect.reference} → {effect.level}" for effect in effects]
    axes.axvline(0, color=INK, linewidth=0.8, zorder=0)
    axes.set_yticks(range(len(effects)), names, fontsize=9)
    axes.set_ylim(len(effects) - 0.4, -0.8)
    axes.set_xlabel(f"Change of {measure}, averaged over the rest, with 95 % interval")
    _title(axes, "What each axis did")
    return figure


def category_figure(
    names: Sequence[str], categories: Sequence[tuple[str, int]], shares: NDArray[np.float64]
) -> "Figure":
    """A heat map of shares of correct answers (runs, categories), the first rows of it; categories with their n."""
    from matplotlib.figure import Figure

    shares = shares[:SHOWN]
    figure = Figure(figsize=(4.2 + 0.85 * len(categories), 1.7 + 0.29 * len(shares)), layout="constrained")
    axes = figure.subplots()
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for (row, column), share in np.ndenumerate(shares):
        colour = "white" if share > 0.6 else INK
        axes.text(column, row, f"{share:.0%}", ha="center", va="center", fontsize=8, color=colour)
    axes.set_yticks(range(len(shares)), names[: len(shares)], fontsize=8.5)
    labels = [f"{name} ({n})" for name, n in categories]
    axes.set_xticks(range(len(labels)), labels, fontsize=8.5, rotation=35, ha="left", rotation_mode="anchor")
    axes.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
    axes.set_xticks(np.arange(len(labels) - 1) + 0.5, minor=True)
    axes.set_yticks(np.arange(len(shares) - 1) + 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="minor", length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("Share of correct answers, by category (number of questions)", loc="left")
    return figure


def _figure(height: float, width: float = 11) -> "tuple[Figure, Axes]":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    axes.set_axisbelow(True)
    return figure, axes


def _title(axes: "Axes", title: str) -> None:
    axes.set_title(title, loc="left", fontweight="bold", color=INK)
