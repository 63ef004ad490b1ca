"""What a comparison found, as flat tables."""

from typing import TYPE_CHECKING, Any

from pipelines.comparison import Compared

if TYPE_CHECKING:
    import pandas as pd


def tables(found: Compared) -> "dict[str, pd.DataFrame]":
    """By name: leaderboard, effects, categories, flips, left_out."""
    import pandas as pd

    return {
        "leaderboard": pd.DataFrame(_leaderboard(found)),
        "effects": pd.DataFrame(_effects(found)),
        "categories": pd.DataFrame(_categories(found)),
        "flips": pd.DataFrame(_flips(found)),
        "left_out": pd.DataFrame(
            [(run.name, run.id, reason) for run, reason in found.selection.left_out], columns=["point", "run", "reason"]
        ),
    }


def _leaderboard(found: Compared) -> list[dict[str, Any]]:
    rows = []
    for rank, standing in enumerate(found.standings, start=1):
        result = found.results[standing.row]
        row: dict[str, Any] = {"rank": rank, "point": result.name}
        for name in found.measures:
            value = standing.values[name]
            row |= {name: value.value, f"{name}_low": value.interval.low, f"{name}_high": value.interval.high}
            if versus := value.versus:
                row |= {
                    f"{name}_difference": versus.difference,
                    f"{name}_difference_low": versus.interval.low,
                    f"{name}_difference_high": versus.interval.high,
                    f"{name}_questions_up": versus.better,
                    f"{name}_questions_down": versus.worse,
                    f"{name}_p": versus.p_value,
                    f"{name}_p_holm": versus.p_holm,
                }
            row[f"{name}_verdict"] = value.verdict
        rows.append(
            row
            | {"latency_p50_ms": result.latency_ms, "context_tokens": result.context_tokens}
            | {"tied": standing.tied, "front": standing.front, "baseline": standing.row == found.baseline}
            | found.settings[standing.row]
            | {"run": result.run}
        )
    return rows


def _effects(found: Compared) -> list[dict[str, Any]]:
    return [
        {
            "measure": measure,
            "axis": effect.axis,
            "reference": effect.reference,
            "level": effect.level,
            "difference": effect.difference,
            "low": effect.interval.low,
            "high": effect.interval.high,
            "pairs": effect.pairs,
        }
        for measure in found.measures
        for effect in found.effects[measure]
    ]


def _categories(found: Compared) -> list[dict[str, Any]]:
    return [
        {
            "category": category.name,
            "n": category.n,
            "point": found.results[standing.row].name,
            "correct": category.shares[standing.row],
            "low": category.intervals[standing.row].low,
            "high": category.intervals[standing.row].high,
            "run": found.results[standing.row].run,
        }
        for standing in found.standings
        for category in found.categories
    ]


def _flips(found: Compared) -> list[dict[str, Any]]:
    return [
        {
            "id": flip.before.id,
            "question": flip.before.question,
            "category": flip.before.category,
            "direction": flip.direction,
            "label_before": flip.before.label,
            "label_after": flip.after.label,
            "cause_before": flip.before.cause,
            "cause_after": flip.after.cause,
            "answer_before": flip.before.answer,
            "answer_after": flip.after.answer,
            "expected_answer": found.expected[flip.before.id],
        }
        for flip in found.flips
    ]
