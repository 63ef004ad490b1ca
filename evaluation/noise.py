"""How much a judge's numbers vary when the same answers are judged again."""

from collections.abc import Sequence
from statistics import fmean, stdev
from typing import NamedTuple

from rag.errors import InputError


class Noise(NamedTuple):
    """Of a mean over questions. `unstable`: share of the questions whose values were not the same every time.

    `limit`: two runs that differ by less do not differ. Repeatability limit r = 2.8 s, ISO 5725-6:1994, 4.1: the
    difference of two results under the same conditions stays below it 95 % of the time (2.8 = 1.96 * sqrt(2)).
    """

    mean: float
    deviation: float
    unstable: float
    limit: float


def noise(repeats: Sequence[Sequence[float]]) -> Noise:
    """The spread of repeated judgements: `repeats[r][q]` is the value of question q the r-th time.

    Raises InputError for fewer than two repeats, or none of the questions.
    """
    if len(repeats) < 2 or not repeats[0]:
        raise InputError(f"{len(repeats)} repeats: noise is measured with two or more, over one question or more")
    questions = list(zip(*repeats, strict=True))
    means = [fmean(values) for values in repeats]
    deviation = stdev(means)
    unstable = sum(len(set(values)) > 1 for values in questions) / len(questions)
    return Noise(fmean(means), deviation, unstable, 2.8 * deviation)
