"""What `pipelines.threshold` prints and logs."""

from collections.abc import Sequence
from typing import Any

from evaluation.decisions.intervals import share_interval
from evaluation.records import Question
from evaluation.split import Split
from evaluation.threshold import Case, Effect, auc, label_at

SHOWN = 10  # thresholds on the screen; trade_off.json holds all
HEAD = "   threshold  answerable declined  unanswerable answered  correct  partly  wrong  wrong of answered"


def shares(effect: Effect) -> dict[str, tuple[int, int]]:
    """Each share that is reported, as (questions, of how many)."""
    return {
        "correct": (effect.correct, effect.n),
        "partly": (effect.partly, effect.n),
        "wrong": (effect.wrong, effect.n),
        "answerable_declined": (effect.declined, effect.answerable),
        "unanswerable_answered": (effect.answered, effect.unanswerable),
    }


def metrics(tuning: Sequence[Case], taken: Effect, held_out: Effect) -> dict[str, float]:
    """The threshold, and the shares on both halves; `_low` and `_high` are 95 % limits."""
    found = {"decline_threshold": taken.threshold, "strength_auc": auc(tuning)}
    found |= {f"tuning_{name}": k / n for name, (k, n) in shares(taken).items()}
    for name, (k, n) in shares(held_out).items():
        low, high = share_interval(k, n)
        found |= {f"held_out_{name}": k / n, f"held_out_{name}_low": low, f"held_out_{name}_high": high}
    return found


def row(effect: Effect) -> dict[str, float]:
    return {
        "threshold": effect.threshold,
        **{name: k / n for name, (k, n) in shares(effect).items()},
        "answers": effect.answers,
        "wrong_of_answered": effect.wrong / effect.answers if effect.answers else 0.0,
    }


def questions(asked: Sequence[Question], cases: Sequence[Case], split: Split, taken: Effect) -> list[dict[str, Any]]:
    """One row a question: its half, its strength, its label without and with the threshold."""
    held_out = set(split.held_out)
    return [
        {
            "id": question.id,
            "question": question.question,
            "category": question.category,
            "answerable": question.answerable,
            "split": "held_out" if i in held_out else "tuning",
            "strength": case.strength,
            "label_without": case.label,
            "label": label_at(case, taken.threshold),
        }
        for i, (question, case) in enumerate(zip(asked, cases, strict=True))
    ]


def text(
    tuning: Sequence[Case], effects: Sequence[Effect], taken: Effect, held_out: Effect, max_wrong_rate: float
) -> str:
    """The trade-off, the choice with the override to use, and what it does to the held-out half."""
    return "\n".join(
        [
            f"Tuning split, {taken.n} questions; every threshold: trade_off.json",
            "",
            HEAD,
            *(_line(own, own is taken) for own in _spread(effects, taken)),
            "",
            f"Strength tells answerable from unanswerable questions with an AUC of {auc(tuning):.2f} (0.5 is chance).",
            "",
            *_choice(taken, max_wrong_rate),
            "",
            f"Held-out split, {held_out.n} questions, with 95 % intervals:",
            *(_held_out(name, k, n) for name, (k, n) in shares(held_out).items()),
            *([] if held_out.wrong_rate <= max_wrong_rate else ["The limit is not kept there."]),
        ]
    )


def _choice(taken: Effect, max_wrong_rate: float) -> list[str]:
    rate = f"{taken.wrong} of {taken.n} questions are answered wrongly ({taken.wrong_rate:.3f}"
    limit = f"threshold.max_wrong_rate={max_wrong_rate:g})"
    if taken.wrong_rate > max_wrong_rate:
        return [f"NO THRESHOLD keeps the limit. The closest, decline.below={taken.threshold}: {rate}, {limit}"]
    return [f"decline.below={taken.threshold}", f"With it {rate}, {limit}"]


def _spread(effects: Sequence[Effect], taken: Effect) -> list[Effect]:
    """About `SHOWN` thresholds from the lowest to the highest, among them the one that is taken."""
    n = min(SHOWN, len(effects))
    places = {round(i * (len(effects) - 1) / max(1, n - 1)) for i in range(n)}
    return [effects[i] for i in sorted(places | {effects.index(taken)})]


def _line(effect: Effect, taken: bool) -> str:
    values = row(effect)
    declined = f"{effect.declined}/{effect.answerable}"
    answered = f"{effect.answered}/{effect.unanswerable}"
    return (
        f"{'>' if taken else ' '}{effect.threshold:11g}  {declined:>19}  {answered:>21}  {values['correct']:7.3f}"
        f"  {values['partly']:6.3f}  {values['wrong']:5.3f}  {values['wrong_of_answered']:17.3f}"
    )


def _held_out(name: str, k: int, n: int) -> str:
    low, high = share_interval(k, n)
    return f"  {name.replace('_', ' '):22} {k / n:.3f} ({low:.3f} to {high:.3f}), {k} of {n}"
