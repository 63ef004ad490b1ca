"""How well a judge agrees with people, beyond chance."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from rag.errors import InputError

Z95 = 1.959963984540054  # 97.5 % quantile of the normal distribution


@dataclass(frozen=True, slots=True)
class Agreement:
    """`table[i][j]`: answers that people call `labels[i]` and the judge `labels[j]`. `low`, `high`: of kappa, 95 %."""

    labels: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]
    observed: float
    kappa: float
    low: float
    high: float

    @property
    def n(self) -> int:
        return sum(map(sum, self.table))


def agreement(people: Sequence[str], judge: Sequence[str], labels: Sequence[str]) -> Agreement:
    """Share of equal labels, Cohen's kappa with its 95 % interval, and the confusion matrix.

    Kappa: Cohen, A coefficient of agreement for nominal scales, 1960. Interval: large-sample standard error of Fleiss,
    Cohen and Everitt, Large sample standard errors of kappa and weighted kappa, 1969, eq. 13; cut at -1 and 1. With few
    answers, or kappa near 1, it is too narrow: full agreement gives an interval of length 0 whatever n is.
    Raises InputError where kappa does not exist: no answers, or both gave one label to all of them.
    """
    counts = Counter(zip(people, judge, strict=True))
    table = np.array([[counts[own, other] for other in labels] for own in labels], float)
    n = table.sum()
    if n != len(people):
        unknown = sorted({*people, *judge} - set(labels))
        raise InputError(f"labels {', '.join(map(repr, unknown))} are none of {', '.join(labels)}")
    if not n:
        raise InputError("no answer was labelled by people, so there is nothing to compare the judge with")
    share = table / n
    rows, columns = share.sum(axis=1), share.sum(axis=0)
    observed, chance = float(np.trace(share)), float(rows @ columns)
    if np.isclose(chance, 1.0):
        raise InputError("people and judge gave one and the same label to all answers: kappa needs answers that differ")
    kappa = (observed - chance) / (1 - chance)
    half = Z95 * sqrt(max(_variance(share, rows, columns, chance, kappa), 0.0) / n)
    return Agreement(
        tuple(labels),
        tuple(tuple(int(count) for count in row) for row in table),
        observed,
        kappa,
        max(kappa - half, -1.0),
        min(kappa + half, 1.0),
    )


def _variance(share: np.ndarray, rows: np.ndarray, columns: np.ndarray, chance: float, kappa: float) -> float:
    """Of sqrt(n) * kappa."""
    equal = np.diag(share) @ (1 - (rows + columns) * (1 - kappa)) ** 2
    weights = (columns[:, np.newaxis] + rows[np.newaxis, :]) ** 2
    unequal = (1 - kappa) ** 2 * ((share * weights).sum() - np.diag(share) @ np.diag(weights))
    return float((equal + unequal - (kappa - chance * (1 - kappa)) ** 2) / (1 - chance) ** 2)
