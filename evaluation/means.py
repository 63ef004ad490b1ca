"""Means of per-question measures, overall and per category, difficulty and group, each with its n."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, isfinite
from typing import NamedTuple

from evaluation.records import Question
from rag.errors import InputError

LONGEST = 200  # characters of a part's name: MLflow takes 250, measure included


class Mean(NamedTuple):
    """A mean and the number of questions in it."""

    value: float
    n: int


def mean_measures(rows: Sequence[tuple[Question, Mapping[str, float]]]) -> dict[str, Mean]:
    """Mean of every measure: `mrr` overall, `mrr.<category>`, `mrr.difficulty.<value>`, `mrr.group.<value>`.

    Names are legal in MLflow. Raises InputError for a value that is no finite number (it is never left out of a mean)
    and for two different values, such as categories, that share a name once illegal characters are replaced.
    """
    check_names([question for question, _ in rows])
    values: dict[str, list[float]] = defaultdict(list)
    for question, measures in rows:
        suffixes = ["", *(_suffix(*part) for part in _parts(question))]
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


def check_names(questions: Iterable[Question]) -> None:
    """Raises InputError for a category, difficulty or group that can give no metric a name of its own."""
    meant_by: dict[str, tuple[str, str]] = {}
    for question in questions:
        for kind, value in _parts(question):
            suffix = _suffix(kind, value)
            if len(suffix) > LONGEST:
                raise InputError(
                    f"question {question.id!r}: {kind} {value[:40]!r}... is longer than {LONGEST} characters"
                )
            if (other := meant_by.setdefault(suffix, (kind, value))) != (kind, value):
                raise InputError(
                    f"question {question.id!r}: {kind} {value!r} and {other[0]} {other[1]!r} would share the metric"
                    f" name suffix {suffix!r}: rename one of them in the golden set"
                )


def _parts(question: Question) -> set[tuple[str, str]]:
    """(kind, value) of the parts of the golden set that a question belongs to; a repeated group counts once."""
    parts = {("category", question.category), ("difficulty", question.difficulty)}
    parts |= {("group", group) for group in question.groups}
    return {(kind, unicodedata.normalize("NFC", value)) for kind, value in parts if value}


def _suffix(kind: str, value: str) -> str:
    # MLflow takes word characters, `-`, `.`, space and `/`; `/` goes too, as it makes paths that may not be normal.
    return ("." if kind == "category" else f".{kind}.") + re.sub(r"[^\w\-. ]", "_", value)
