"""Runs, question by question, as matrices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.decisions.flip_list import Answered
from rag.errors import InputError

SHARES = ("correct", "wrong")
MEANS = {"recall_at_top_k": "recall", "mrr": "reciprocal_rank"}
"""Measures of retrieval, and the columns of `questions.json` that hold them by question."""


@dataclass(frozen=True, slots=True)
class Result:
    """A finished run. `retrieval`: measure -> question id -> value, of the questions that have evidence to find."""

    run: str
    name: str
    latency_ms: float
    context_tokens: float
    answers: tuple[Answered, ...]
    retrieval: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Scores:
    """A row a run, a column a question. `measures`: (m, n) each; `categories`: (n,), of the shares' columns."""

    measures: Mapping[str, NDArray[np.float64]]
    categories: tuple[str, ...]


def aligned(results: Sequence[Result]) -> Scores:
    """The values of all runs by question id. Raises InputError unless all runs have the same questions."""
    first = results[0]
    ids = [answered.id for answered in first.answers]
    for other in results[1:]:
        if odd := set(ids) ^ {answered.id for answered in other.answers}:
            raise InputError(
                f"runs {first.run} and {other.run}: question {min(odd)!r} is in one of them only; compare runs of one"
                " golden set"
            )
    labels = [{answered.id: answered.label for answered in result.answers} for result in results]
    measures = {name: np.array([[float(own[id] == name) for id in ids] for own in labels]) for name in SHARES}
    for name in MEANS:
        if found := first.retrieval[name]:
            measures[name] = np.array([[result.retrieval[name][id] for id in found] for result in results])
    return Scores(measures, tuple(answered.category for answered in first.answers))


def result(
    run: str, name: str, latency_ms: float, context_tokens: float, rows: Sequence[Mapping[str, object]]
) -> Result:
    """From the rows of `questions.json`."""
    columns = ("id", "question", "category", "label", "cause", "answer")
    answers = tuple(Answered(*(row[column] for column in columns)) for row in rows)  # type: ignore[arg-type]
    retrieval = {
        name: {str(row["id"]): float(row[column]) for row in rows if row[column] is not None}  # type: ignore[arg-type]
        for name, column in MEANS.items()
    }
    return Result(run, name, latency_ms, context_tokens, answers, retrieval)
