"""Optuna asked for points, and told what they came to."""

import json
import logging
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from pipelines.config import one_point
from pipelines.fingerprint import fingerprint
from pipelines.search.earlier import earlier
from pipelines.search.front import front, usable
from pipelines.search.settings import Settings
from pipelines.search.space import CONFIG, Space, configuration
from pipelines.tracking import PRUNED, Run, tracking
from rag.errors import InputError

if TYPE_CHECKING:
    from optuna import Trial

Launch = Callable[[list[list[str]], int], Sequence[Run | None]]

STUCK = 20  # proposals in a row that are known or refused, after which points are drawn at random
EMPTY = 500  # and after which there seem to be no others


def search(space: Space, settings: Settings, launch: Launch) -> None:
    """Run `n_trials` points of the space; those that earlier runs have measured count, and become points of the sweep.

    `launch` takes the overrides of some points and the number of the first, and returns their runs, None if one failed.
    """
    cfg = one_point(CONFIG, space.fixed)
    store, study = tracking(cfg), Study(space, settings)
    for known, chosen in earlier(space, settings, store, study.identity):
        store.reuse(known, cfg.tracking.parent)
        study.add(known, chosen)
    if n := len(study.points):
        goes_on = f"; hydra.sweeper.n_trials={n + settings.n_trials} goes on" if n >= settings.n_trials else ""
        logging.warning("%d points of this space are known from earlier runs%s", n, goes_on)
    first = 0
    while proposals := study.proposals():
        rivals = study.rivals()
        runs = launch([[*overrides, *rivals] for _, overrides in proposals], first)
        for (trial, _), run in zip(proposals, runs, strict=True):
            study.tell(trial, run)
        first += len(proposals)
    if study.refused:
        logging.warning("%d combinations were refused, the first: %s", len(study.refused), study.refused[0])


class Study:
    """What is known of a space. `points`: fingerprints; `refused`: why some combinations cannot be made.

    Optuna's TPE for several objectives proposes (Ozaki et al., Journal of Artificial Intelligence Research 73, 2022):
    it learns from ten points, where a genetic search such as NSGA-II wants generations of dozens.
    """

    def __init__(self, space: Space, settings: Settings) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._space, self._settings = space, settings
        self._learning = optuna.samplers.TPESampler(seed=settings.seed)
        self._random = optuna.samplers.RandomSampler(seed=settings.seed)
        self._study = optuna.create_study(directions=["maximize", "minimize"], sampler=self._learning)
        self._identities: dict[tuple[str, ...], str | None] = {}
        self._finished: list[Run] = []
        self.points: set[str] = set()
        self.refused: list[str] = []

    def identity(self, overrides: Sequence[str]) -> str | None:
        """The fingerprint of a point; None if the combination is refused."""
        key = tuple(overrides)
        if key not in self._identities:
            try:
                self._identities[key] = fingerprint(configuration(overrides))
            except InputError as refused:
                self._identities[key] = None
                self.refused.append(str(refused))
        return self._identities[key]

    def add(self, run: Run, chosen: dict[str, float]) -> None:
        """Tell of a run that an earlier command has finished."""
        from optuna.trial import create_trial

        trial = create_trial(params=chosen, distributions=self._space.distributions, values=self._values(run))
        self._study.add_trial(trial)
        self.points.add(run.tags["fingerprint"])
        self._finished.append(run)

    def proposals(self) -> "list[tuple[Trial, list[str]]]":
        """The next points with their overrides, as many as are run at a time; none when all is done."""
        wanted = min(self._settings.n_jobs, self._settings.n_trials - len(self.points))
        return [own for own in takewhile(bool, (self._proposal() for _ in range(wanted))) if own]

    def tell(self, trial: "Trial", run: Run | None) -> None:
        """A pruned point counts with what its first questions came to: it teaches, but joins no front."""
        from optuna.trial import TrialState

        if run and (PRUNED in run.tags or usable(run, self._settings)):
            self._study.tell(trial, self._values(run))
        else:
            self._study.tell(trial, state=TrialState.FAIL)
        if run and usable(run, self._settings):
            self._finished.append(run)

    def rivals(self) -> list[str]:
        """The override that names the points to be reached."""
        own = self._settings
        if own.first_questions is None or not (leaders := front(self._finished, own)):
            return []
        runs = json.dumps([run.id for run in leaders])  # quoted, as an id of digits would be read as a number
        first = f"first:{own.first_questions},quality:{own.quality},latency:{own.latency}"
        return [f"tracking.rivals={{runs:{runs},{first}}}"]

    def _proposal(self) -> "tuple[Trial, list[str]] | None":
        from optuna.trial import TrialState

        for misses in range(EMPTY):
            self._study.sampler = self._learning if misses < STUCK else self._random
            trial = self._study.ask(self._space.distributions)
            overrides = self._space.overrides(trial.params)
            identity = self.identity(overrides)
            if identity and identity not in self.points:
                self.points.add(identity)
                return trial, overrides
            self._study.tell(trial, state=TrialState.FAIL)
        logging.warning("%d points: the space seems to hold no more", len(self.points))
        return None

    def _values(self, run: Run) -> list[float]:
        return [run.metrics[self._settings.quality], run.metrics[self._settings.latency]]
