"""May a run become the champion? The one rule that promotes, and that the simulations put to the test."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.decisions.max_t import max_t
from evaluation.decisions.noise import is_difference, noise_limit
from evaluation.decisions.paired import worse

HARM = 0.05  # level of the tests for harm


@dataclass(frozen=True, slots=True)
class Outcomes:
    """A run, question by question.

    `objective`: what is promoted by, higher is better, (q,) over the questions that have it. `wrong`: (n,) over all.
    """

    objective: NDArray[np.float64]
    wrong: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Conditions:
    """What must hold before scores count. `measured`: questions with an outcome; `judge_noise` None: not measured."""

    measured: int
    questions: int
    judge: str
    champion_judge: str
    judge_validated: bool
    judge_noise: float | None = None


class Check(NamedTuple):
    name: str
    passed: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Decision:
    """`chosen`: the row of the candidates that was judged."""

    chosen: int
    checks: tuple[Check, ...]

    @property
    def accepted(self) -> bool:
        return all(check.passed for check in self.checks)

    @property
    def reasons(self) -> list[str]:
        """Why not, or if accepted why."""
        return [check.reason for check in self.checks if check.passed == self.accepted]


def decide(
    champion: Outcomes,
    candidates: Sequence[Outcomes],
    categories: Sequence[str],
    conditions: Conditions,
    chosen: int | None = None,
) -> Decision:
    """Judge the best candidate, or the chosen one, against the champion on the same questions.

    `candidates` are all runs that it was chosen from, for the test is corrected for having chosen. `categories`: (q,),
    those of the objective's questions.
    """
    scores = np.stack([candidate.objective for candidate in candidates])
    best = int(scores.mean(axis=1).argmax()) if chosen is None else chosen
    return Decision(
        best,
        (
            *_conditions(conditions),
            _improvement(champion.objective, scores, best, conditions.judge_noise),
            *regressions(champion, candidates[best], categories),
        ),
    )


def decide_first(conditions: Conditions, chosen: int) -> Decision:
    """Judge the chosen candidate where there is no champion: its outcomes must be complete and its judge validated."""
    coverage, _, validated = _conditions(conditions)
    return Decision(chosen, (coverage, validated))


def regressions(before: Outcomes, after: Outcomes, categories: Sequence[str]) -> list[Check]:
    """The share of wrong answers and every category: none may be worse at 5 %, each by a one-sided test of its own.

    Not corrected for their number: a correction would let more harm pass, and an alarm costs only a second look.
    """
    wrong, difference = _worse(before.wrong.astype(float) - after.wrong)
    checks = [
        Check(
            "wrong",
            not wrong,
            f"{after.wrong.mean():.3f} of the answers are wrong, {_signed(-difference)}{_verdict(wrong)}",
        )
    ]
    names = np.asarray(categories)
    for name in sorted(set(categories)):
        inside = names == name
        harmed, difference = _worse(after.objective[inside] - before.objective[inside])
        label = f"category {name or '(none)'}"
        reason = f"{label}: {_signed(difference)} on {inside.sum()} questions{_verdict(harmed)}"
        checks.append(Check(label, not harmed, reason))
    return checks


def _improvement(
    champion: NDArray[np.float64], scores: NDArray[np.float64], best: int, judge_noise: float | None
) -> Check:
    test = max_t(scores, champion)
    difference, margin, p = (float(values[best]) for values in (test.differences, test.margins, test.p_values))
    passed = difference > 0 and is_difference(difference, margin, judge_noise)
    noise = noise_limit(judge_noise)
    limit = f"the margin of error {margin:.3f}" if margin >= noise else f"the judge's noise {noise:.3f}"
    reason = (
        f"{scores[best].mean():.3f} against the champion's {champion.mean():.3f} is {_signed(difference)}, "
        f"{'more' if passed else 'not more'} than {limit} (one of {len(scores)}, p = {p:.4f})"
    )
    return Check("improvement", passed, reason)


def _conditions(conditions: Conditions) -> list[Check]:
    c = conditions
    same = c.judge == c.champion_judge
    return [
        Check("coverage", c.measured == c.questions, f"{c.measured} of {c.questions} questions have an outcome"),
        Check("judge", same, f"judged by {c.judge}" + ("" if same else f", the champion by {c.champion_judge}")),
        Check(
            "judge validated",
            c.judge_validated,
            f"judge {c.judge} is {'' if c.judge_validated else 'not '}validated against people",
        ),
    ]


def _worse(gains: NDArray[np.float64]) -> tuple[bool, float]:
    return worse(gains) <= HARM, float(gains.mean())


def _signed(difference: float) -> str:
    return f"{difference:+.3f}"


def _verdict(harmed: bool) -> str:
    return ", significantly worse" if harmed else ""
