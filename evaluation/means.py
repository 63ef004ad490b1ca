"""Means of per-question measures, overall and per category, difficulty and group, each with its n."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
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
    parts: dict[str, list[int]] = {"": list(range(len(rows)))}
    for i, (question, _) in enumerate(rows):
        for part in _parts(question):
            parts.setdefault(_suffix(*part), []).append(i)
    means = {}
    for name in dict.fromkeys(name for _, measures in rows for name in measures):
        column = [measures.get(name) for _, measures in rows]
        for (question, _), value in zip(rows, column, strict=True):
            if value is not None and not isfinite(value):
                raise InputError(f"question {question.id!r}: {name} is {value}, which has no place in a mean")
        for suffix, own in parts.items():
            if values := [value for value in map(column.__getitem__, own) if value is not None]:
                means[name + suffix] = Mean(fsum(values) / len(values), len(values))
    return means


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


@lru_cache(maxsize=10_000)
def _suffix(kind: str, value: str) -> str:
    # MLflow takes word characters, `-`, `.`, space and `/`; `/` goes too, as it makes paths that may not be normal.
    return ("." if kind == "category" else f".{kind}.") + re.sub(r"[^\w\-. ]", "_", value)
