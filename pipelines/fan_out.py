"""The points of a sweep on workers: processes of this machine (joblib) or of a Ray cluster."""

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from omegaconf import DictConfig, OmegaConf

from pipelines import ledger, names
from pipelines.embed_once import embed_once
from pipelines.fingerprint import fingerprint
from pipelines.point import ledger_line
from pipelines.progress import point_bar
from pipelines.tracking import FINGERPRINT, JOB, PointError, Run, Tracking
from pipelines.watch import watched
from pipelines.worker import work
from rag.errors import InputError

BASIC = "hydra._internal.core_plugins.basic_launcher.BasicLauncher"
RAY = "hydra_plugins.hydra_ray_launcher.ray_launcher.RayLauncher"
LOST = "its worker was lost, or the sweep was stopped, before it was done; the same command tries again"


class NeverBegunError(Exception):
    """Workers could not be kept at work; what is left is FAILED and says why."""


def uses_workers(launcher: DictConfig) -> bool:
    return bool(launcher._target_ != BASIC)


class FanOut:
    """One sweep. Made before its run is opened: raises InputError for what could not work on these workers."""

    def __init__(self, configurations: Sequence[DictConfig], launcher: DictConfig, store: Tracking) -> None:
        self.configurations, self.store = configurations, store
        self.on_ray = launcher._target_ == RAY
        if any(cfg.index._target_ == "rag.index.path" for cfg in configurations):
            raise InputError("index=path is for one process at a time; with workers take index=memory, edge or server")
        if self.on_ray:
            from rag.ray_cluster import join, machines

            join(OmegaConf.to_container(launcher.ray.init, resolve=True))  # type: ignore[arg-type]
            others = machines() - {os.uname().nodename}
            if others and store.uri.startswith("sqlite:"):
                raise InputError(
                    f"tracking.uri={store.uri}: {', '.join(sorted(others))} cannot write there; start `mlflow server` "
                    "and set MLFLOW_TRACKING_URI (docs/scale.md)"
                )

    @cached_property
    def jobs(self) -> dict[int, str]:
        """The fingerprint of each job, that is of each point that is no repetition of an earlier one."""
        first: dict[str, int] = {}
        for number, cfg in enumerate(self.configurations):
            first.setdefault(fingerprint(cfg), number)
        return {number: identity for identity, number in first.items()}

    def run(self, arguments: Sequence[str], sweep: str) -> None:
        """Run all points below the run of the sweep. Afterwards each of them has ended, FINISHED or FAILED."""
        with point_bar(len(self.jobs)) as show, watched(self.store, sweep, lambda: show(len(self._ended(sweep)))):
            cause = LOST
            try:
                cause = self._run_all(arguments, sweep)
            finally:
                self._close(sweep, cause)
        self._write_ledger(sweep)

    def _run_all(self, arguments: Sequence[str], sweep: str) -> str:
        """Start the workers, and again as long as that brings the sweep forward. Returns why it stopped.

        Once they may be lost without having begun anything.
        """
        from pipelines.command import with_hydra

        repeats = [number for number in range(len(self.configurations)) if number not in self.jobs]
        given = [
            *arguments,
            f"tracking.parent={sweep}",
            f"tracking.experiment={_quoted(self.store.experiment_name())}",
            f"tracking.repeats={repeats}",
            "tracking.ledger=null",
        ]
        cause, left, patience = LOST, len(self.jobs) + 1, 1
        while now := len(self.jobs) - len(self._ended(sweep)):
            if now == left and not patience:
                break
            patience -= now == left
            left = now
            try:
                with_hydra(work, "sweep", given, raises=True)
            except Exception as error:  # joblib gives up all points when a worker dies
                cause = f"its worker was lost ({type(error).__name__}); the same command tries again"
                self._stop_workers()
                for run in self.store.running(sweep):
                    self.store.fail(run, cause)
        return cause

    def _ended(self, sweep: str) -> dict[int, Run]:
        """The run of each job that has ended, in this sweep or before it."""
        runs = [run for run in self.store.points(sweep) if run.status != "RUNNING"]
        earlier = {run.tags[FINGERPRINT]: run for run in runs if run.reused}
        own = {int(run.tags[JOB]): run for run in runs if not run.reused and JOB in run.tags}  # others: baselines
        return {**{n: earlier[identity] for n, identity in self.jobs.items() if identity in earlier}, **own}

    def _close(self, sweep: str, cause: str) -> None:
        self._stop_workers()  # else they go on with what waits
        for run in self.store.running(sweep):
            self.store.fail(run, cause)
        for number in self.jobs.keys() - self._ended(sweep).keys():
            with suppress(PointError):
                cfg = self.configurations[number]
                tags = {FINGERPRINT: self.jobs[number], JOB: str(number)}
                with self.store.point(names.point(cfg), sweep, tags):
                    raise NeverBegunError(cause)

    def _stop_workers(self) -> None:
        if self.on_ray:
            import ray

            ray.shutdown()

    def _write_ledger(self, sweep: str) -> None:
        """One process writes it, on the machine where it is wanted."""
        for number, run in sorted(self._ended(sweep).items()):
            cfg = self.configurations[number]
            if run.status == "FINISHED" and not run.reused:
                line = ledger_line(cfg, run.name, run.id, run.tags, run.metrics)
                ledger.append(Path(cfg.tracking.ledger), {**line, "sweep": sweep})

    def embed(self) -> None:
        """Compute every distinct embedding of the sweep once, so that the workers find it in the cache."""
        embed_once(self.configurations, self.on_ray)


def _quoted(text: str) -> str:
    """A value in Hydra's grammar."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
