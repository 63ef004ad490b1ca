"""How many settings a search leaves after the first questions, and whether it leaves one that belongs to the front.

python -m benchmarks.pruning: 60 searches a line, each of 30 settings in turn; 222 questions, 60 of them asked first.
"""

import numpy as np
from numpy.typing import NDArray

from evaluation.decisions.pareto import pareto_front
from evaluation.decisions.pruning import excluded

SEARCHES, SETTINGS, QUESTIONS, FIRST = 60, 30, 222, 60


def front(scores: NDArray[np.float64], latency: NDArray[np.float64], rows: list[int]) -> list[int]:
    costs = np.column_stack([-scores[rows].mean(axis=1), latency[rows]])
    return [row for row, best in zip(rows, pareto_front(costs), strict=True) if best]


def searched(random: np.random.Generator, spread: float) -> tuple[int, int, int]:
    """Settings left, settings on the front of all, how many of those were left. `spread`: of the skill of settings."""
    skill, hard = random.normal(scale=spread, size=(SETTINGS, 1)), random.normal(size=QUESTIONS)
    noise = random.normal(scale=0.5, size=(SETTINGS, QUESTIONS))
    scores = (skill + noise > hard + 0.2).astype(float)
    first, latency = random.permutation(QUESTIONS)[:FIRST], random.random(SETTINGS)
    finished: list[int] = []
    left: set[int] = set()
    for row in range(SETTINGS):
        leaders = [own for own in front(scores, latency, finished) if latency[own] <= latency[row]] if finished else []
        if leaders and excluded(scores[leaders][:, first], scores[row, first]):
            left.add(row)
        else:
            finished.append(row)
    best = front(scores, latency, list(range(SETTINGS)))
    return len(left), len(best), len(left.intersection(best))


if __name__ == "__main__":
    for spread in (0.0, 0.1, 0.3, 0.6):
        random = np.random.default_rng(0)
        left, best, lost = np.sum([searched(random, spread) for _ in range(SEARCHES)], axis=0)
        print(f"skill {spread}: {left / SEARCHES / SETTINGS:.1%} left; of {best} on the front {lost}")
