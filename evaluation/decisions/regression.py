"""Has a measure become worse than it was, on the same questions?"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.decisions.findings import Finding, Verdict
from evaluation.decisions.holm import holm
from evaluation.decisions.intervals import difference_interval
from evaluation.decisions.noise import exceeds_noise, noise_limit
from evaluation.decisions.paired import worse

GROUP = "regression"
HARM = 0.05  # level of the one-sided tests, as in promotion
LIMIT = "not worse"


def regression(
    name: str,
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    judge_noise: float | None,
    higher_is_better: bool = True,
) -> Finding:
    """A measure of two runs on the same questions, (n,) each.

    It is worse when a one-sided test finds that at 5 % and the change is as large as the judge's noise (None: not
    measured, 0.03).
    """
    sign = 1 if higher_is_better else -1
    return _finding(name, before, after, worse(sign * (after - before)), judge_noise)


def category_regressions(
    before: NDArray[np.float64], after: NDArray[np.float64], categories: Sequence[str], judge_noise: float | None
) -> list[Finding]:
    """The same for every category, of a measure of which more is better; p-values are corrected for their number."""
    names, wanted = np.asarray(categories), sorted(set(categories))
    inside = [names == name for name in wanted]
    p_values = holm([worse(after[own] - before[own]) for own in inside])
    return [
        _finding(f"category {name or '(none)'}", before[own], after[own], float(p), judge_noise)
        for name, own, p in zip(wanted, inside, p_values, strict=True)
    ]


def _finding(
    name: str, before: NDArray[np.float64], after: NDArray[np.float64], p: float, judge_noise: float | None
) -> Finding:
    changes = after - before
    change = float(changes.mean())
    significant, real = p <= HARM, exceeds_noise(change, judge_noise)
    reason = f"{after.mean():.3f} after {before.mean():.3f} on {len(changes)} questions"
    if significant:
        noise = f", but below the judge's noise {noise_limit(judge_noise):.3f}" if not real else ""
        reason += f", significantly worse (p = {p:.4f}){noise}"
    verdict: Verdict = "failed" if significant and real else "passed"
    return Finding(GROUP, name, change, difference_interval(changes), LIMIT, verdict, reason)
