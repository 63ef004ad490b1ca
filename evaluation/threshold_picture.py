"""The picture of a decline threshold: what it trades, and what becomes of the questions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evaluation.threshold import Effect

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_CURVE, _CHOSEN, _MUTED, _INK = "#2b6cb0", "#c05621", "#a0aec0", "#2d3748"
_SHARES = {"correct": "#2f855a", "partly": "#d69e2e", "wrong": "#c53030", "declined": "#718096"}


def threshold_figure(
    effects: Sequence[Effect], taken: Effect, held_out: Effect, max_wrong_rate: float, title: str
) -> "Figure":
    """Left: answerable questions declined against unanswerable ones answered. Right: the labels at every threshold.

    `effects`, the lowest threshold first, and `taken` are of the tuning split; `held_out` is `taken` on the other.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 5), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_trade(left, effects, taken, held_out)
    _draw_labels(right, effects, taken, max_wrong_rate)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
    figure.suptitle(title, x=0.01, ha="left", fontweight="bold", color=_INK)
    return figure


def _draw_trade(axes: "Axes", effects: Sequence[Effect], taken: Effect, held_out: Effect) -> None:
    from matplotlib.ticker import PercentFormatter

    axes.plot([0, 1], [1, 0], color=_MUTED, linewidth=1, linestyle="--", label="Chance")
    axes.plot(*zip(*map(_traded, effects), strict=True), color=_CURVE, marker=".", label="Tuning split")
    axes.plot(*_traded(taken), "o", color=_CHOSEN, markersize=9, label=f"At {taken.threshold:g}")
    axes.plot(*_traded(held_out), "D", color=_INK, markersize=7, label=f"At {taken.threshold:g}, held-out split")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.set_xlim(-0.03, 1.03)
    axes.set_ylim(-0.03, 1.03)
    axes.set_xlabel("Answerable questions declined")
    axes.set_ylabel("Unanswerable questions answered")
    axes.set_title("The trade-off (lower left is better)", loc="left", color=_INK)
    axes.legend(frameon=False, fontsize=9)


def _draw_labels(axes: "Axes", effects: Sequence[Effect], taken: Effect, max_wrong_rate: float) -> None:
    from matplotlib.ticker import PercentFormatter

    # The lowest candidate never declines: drawn as far below the second as the others are apart.
    values = [effect.threshold for effect in effects]
    if len(values) > 1:
        values[0] = values[1] - (values[-1] - values[1]) / len(values)
    for name, colour in _SHARES.items():
        shares = [getattr(effect, name) / effect.n for effect in effects]
        axes.step(values, shares, where="mid", color=colour, label=name)
    axes.axhline(max_wrong_rate, color=_SHARES["wrong"], linewidth=1, linestyle="--", label="Limit of wrong")
    axes.axvline(values[effects.index(taken)], color=_CHOSEN, linewidth=1, label=f"At {taken.threshold:g}")
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.set_ylim(0, 1)
    axes.set_xlabel("Threshold: cosine of the best passage (far left: never declines)")
    axes.set_ylabel("Questions of the tuning split")
    axes.set_title("What becomes of the questions", loc="left", color=_INK)
    axes.legend(frameon=False, fontsize=9)


def _traded(effect: Effect) -> tuple[float, float]:
    return effect.declined / effect.answerable, effect.answered / effect.unanswerable
