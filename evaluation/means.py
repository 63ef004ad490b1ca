"""Means of per-question measures, overall and per category, difficulty and group, each with its n."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, isfinite
from typing import NamedTuple

from evaluation.records import Question
from rag.errors import InputError


class Mean(NamedTuple):
    """A mean and the number of questions in it."""

    value: float
    n: int


def mean_measures(rows: Sequence[tuple[Question, Mapping[str, float]]]) -> dict[str, Mean]:
    """Mean of every measure: `mrr` overall, `mrr.<category>`, `mrr.difficulty.<value>`, `mrr.group.<value>`.

    Names are legal in MLflow. Raises InputError for a value that is no finite number (it is never left out of a mean)
    and for two different values, such as categories, that share a name once illegal characters are replaced.
    """
    values: dict[str, list[float]] = defaultdict(list)
    meant_by: dict[str, str] = {}
    for question, measures in rows:
        suffixes = [""]
        for part in _parts(question):
            suffix = "." + _legal(part)
            if meant_by.setdefault(suffix, part) != part:
                raise InputError(
                    f"question {question.id!r}: {part!r} and {meant_by[suffix]!r} would share the metric name"
                    f" suffix {suffix!r}: rename one of them in the golden set"
                )
            suffixes.append(suffix)
        for name, value in measures.items():
            if not isfinite(value):
                raise InputError(f"question {question.id!r}: {name} is {value}, which has no place in a mean")
            for suffix in suffixes:
                values[name + suffix].append(value)
    return {name: Mean(fsum(column) / len(column), len(column)) for name, column in values.items()}


def as_metrics(means: Mapping[str, Mean]) -> dict[str, float]:
    """Flat metrics with each n beside its mean: `mrr.vorschriften` and `mrr_n.vorschriften`."""
    metrics: dict[str, float] = {}
    for name, mean in means.items():
        measure, dot, part = name.partition(".")
        metrics[name] = mean.value
        metrics[f"{measure}_n{dot}{part}"] = float(mean.n)
    return metrics


def _parts(question: Question) -> Iterable[str]:
    """The parts of the golden set that a question belongs to; a set, so that a repeated group counts once."""
    parts = {question.category} if question.category else set()
    if question.difficulty:
        parts.add(f"difficulty.{question.difficulty}")
    parts.update(f"group.{group}" for group in question.groups)
    return {unicodedata.normalize("NFC", part) for part in parts}


def _legal(part: str) -> str:
    # MLflow takes word characters, `-`, `.`, space and `/`; `/` goes too, as it makes paths that may not be normal.
    return re.sub(r"[^\w\-. ]", "_", part)
