"""How often each protection moves the champion by luck, and how often rightly: python -m benchmarks.honesty

Prints the tables of docs/decisions.md; with `limit` only what any rule could reach where points are unlike. Sweeps are
those of tests/evaluation/simulated_sweeps.py.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import stats

from evaluation.decisions.chosen import corrected_score
from evaluation.decisions.max_t import LEVEL, max_t

sys.path.append(str(Path(__file__).parents[1] / "tests" / "evaluation"))
from simulated_sweeps import BETTER, CATEGORIES, DISCORDANT, KINDS, POINTS, SHARE, Sweep, judged, sweeps

SWEEPS = 2000


def exact(gains: np.ndarray) -> float:
    """McNemar's exact one-sided p-value."""
    better, worse = int((gains > 0).sum()), int((gains < 0).sum())
    return float(stats.binomtest(better, better + worse, alternative="greater").pvalue) if better + worse else 1.0


def raw(sweep: Sweep, seed: int) -> bool:
    champion, points = sweep
    return bool(points.sum(axis=1).max() > champion.sum())


def uncorrected(sweep: Sweep, seed: int, tests: int = 1) -> bool:
    champion, points = sweep
    best = points[points.sum(axis=1).argmax()]
    return exact(best.astype(int) - champion) * tests <= 0.05


def bonferroni(sweep: Sweep, seed: int) -> bool:
    return uncorrected(sweep, seed, tests=len(sweep[1]))


def held_out(sweep: Sweep, seed: int) -> bool:
    """Ranked on every second question of every category, confirmed once on the others."""
    champion, points = sweep
    tuning = np.arange(len(champion)) // CATEGORIES % 2 == 0
    best = points[points[:, tuning].sum(axis=1).argmax()]
    return exact((best.astype(int) - champion)[~tuning]) <= 0.05


def max_t_alone(sweep: Sweep, seed: int) -> bool:
    champion, points = sweep
    return bool(max_t(points.astype(float), champion.astype(float)).p_values.min() <= LEVEL)


def gate(sweep: Sweep, seed: int) -> bool:
    return judged(sweep, seed).accepted


PROTECTIONS: dict[str, Callable[[Sweep, int], bool]] = {
    "none: the best wins": raw,
    "the best, tested once": uncorrected,
    "Bonferroni, McNemar": bonferroni,
    "held-out half": held_out,
    "max-T": max_t_alone,
    "the gate (max-T and its other rules)": gate,
}


def rate(kind: str, rule: Callable[[Sweep, int], bool], better: bool) -> float:
    return sum(rule(sweep, seed) for seed, sweep in enumerate(sweeps(kind, SWEEPS, better=better))) / SWEEPS


def flattery(kind: str, better: bool) -> tuple[float, float]:
    """By how much the best score, as it is and corrected, lies above the true share of the point chosen, on average."""
    errors = []
    for _, points in sweeps(kind, SWEEPS // 10, better=better):
        best = points.sum(axis=1).argmax()
        truth = SHARE + 0.1 * (better and best == BETTER)
        errors.append((points[best].mean() - truth, corrected_score(points.astype(float)) - truth))
    return tuple(np.mean(errors, axis=0))


Counts = np.ndarray
"""Questions won or lost against the champion, (sweeps, points)."""
STATISTICS: dict[str, Callable[[Counts, Counts], np.ndarray]] = {
    "difference of the means": lambda won, lost: won - lost,
    "McNemar's z": lambda won, lost: (won - lost) / np.sqrt(np.maximum(won + lost, 1)),
    "exact McNemar": lambda won, lost: -stats.binom.sf(won - 1, won + lost, 0.5),
    "likelihood ratio": lambda won, lost: won * np.log(2 * GAINED / DISCORDANT) + lost * np.log(2 * LOST / DISCORDANT),
}
GAINED, LOST = 0.125, 0.025  # of all questions, by the point that is better


def unlike(rng: np.random.Generator, count: int, better: bool, questions: int = 200) -> tuple[Counts, Counts]:
    """Questions won and lost in sweeps of the kind `unlike`: given the champion, every point errs for itself."""
    right = rng.binomial(questions, SHARE, (count, 1))
    shares = np.full((2, POINTS), DISCORDANT / 2)
    if better:
        shares[:, BETTER] = GAINED, LOST
    return rng.binomial(questions - right, shares[0] / (1 - SHARE)), rng.binomial(right, shares[1] / SHARE)


def limit(statistic: Callable[[Counts, Counts], np.ndarray], level: float, count: int = 60_000) -> float:
    """How often the largest statistic finds the better point, where equal points exceed its bound in just `level`."""
    rng = np.random.default_rng(5)
    largest = [
        (found := statistic(*unlike(rng, count, better))).max(axis=1) + 1e-6 * rng.random(len(found))  # ties by lot
        for better in (False, True)
    ]
    return float((largest[1] > np.quantile(largest[0], 1 - level)).mean())


def print_limits() -> None:
    print("| Statistic | at 5 % | at 4 % |")
    for name, statistic in STATISTICS.items():
        print(f"| {name} | {limit(statistic, 0.05):.3f} | {limit(statistic, 0.04):.3f} |")


if __name__ == "__main__":
    if sys.argv[1:] == ["limit"]:
        print_limits()
        sys.exit()
    print(f"| Protection | {' | '.join(KINDS)} |")
    for name, rule in PROTECTIONS.items():
        cells = [f"{rate(kind, rule, better=False):.3f} / {rate(kind, rule, better=True):.3f}" for kind in KINDS]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    for better in (False, True):
        cells = ["{:+.3f} / {:+.3f}".format(*flattery(kind, better)) for kind in KINDS]
        print(f"| best score, raw / corrected, {'one better' if better else 'all equal'} | {' | '.join(cells)} |")
    print_limits()
