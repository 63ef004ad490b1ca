"""The runs of an experiment, found and read."""

import time
from dataclasses import replace
from typing import Any

from pipelines.tracking.record import Run, record
from pipelines.tracking.tags import ACCEPTED, BEAT, FINGERPRINT, JOB, KIND, PARENT, REUSED, VALIDATED
from rag.errors import InputError


class Runs:
    """What an experiment holds. `client`: an MlflowClient of its store."""

    def __init__(self, client: Any, experiment_id: str) -> None:
        self._client, self.experiment_id = client, experiment_id
        self._finished: dict[str, Run] = {}

    def run(self, run_id: str) -> Run:
        """Raises InputError if the store holds no such run."""
        return record(self._get(run_id))

    def points(self, sweep: str) -> list[Run]:
        """All points of a sweep, those of earlier runs too, in the order in which they were computed."""
        parent = self._get(sweep)
        reused = [tag.removeprefix(REUSED) for tag in parent.data.tags if tag.startswith(REUSED)]
        known = {run.id: run for run in self._finished.values()}
        earlier = [known.get(run_id) or self.run(run_id) for run_id in reused]
        own = self._search(f"tags.`{PARENT}` = '{sweep}'", experiment=parent.info.experiment_id)
        return [replace(run, reused=True) for run in sorted(earlier, key=lambda run: run.started)] + own[::-1]

    def job(self, sweep: str, number: int) -> Run | None:
        """The run of a sweep's job on a worker, if it was begun."""
        found = self._search(f"tags.`{PARENT}` = '{sweep}' and tags.{JOB} = '{number}'", limit=1)
        return found[0] if found else None

    def running(self, sweep: str) -> list[Run]:
        """Points of a sweep that have not ended."""
        return self._search(f"tags.`{PARENT}` = '{sweep}' and attributes.status = 'RUNNING'")

    def silent(self, seconds: float) -> list[Run]:
        """Running sweeps whose last sign of life is older than that."""
        sweeps = self._search(f"tags.{KIND} = 'sweep' and attributes.status = 'RUNNING'")
        return [run for run in sweeps if BEAT in run.tags and float(run.tags[BEAT]) < time.time() - seconds]

    def experiment_name(self) -> str:
        """Not the configured one where `mlflow run` has opened a run."""
        return str(self._client.get_experiment(self.experiment_id).name)

    def all_points(self) -> list[Run]:
        """All points of the experiment in the order in which they were computed."""
        return self._search(f"tags.{KIND} = 'point'")[::-1]

    def sweeps(self) -> list[Run]:
        """All sweeps of the experiment, the first one first."""
        return self._search(f"tags.{KIND} = 'sweep'")[::-1]

    def finished(self, fingerprint: str) -> Run | None:
        """The latest finished point with this fingerprint that has an answer to every question."""
        if fingerprint in self._finished:
            return self._finished[fingerprint]
        same = f"tags.{FINGERPRINT} = '{fingerprint}'"
        found = self._search(f"{same} and attributes.status = 'FINISHED' and metrics.coverage = 1", limit=1)
        if not found:
            return None
        self._finished[fingerprint] = found[0]  # a sweep asks before its bar, and again when the point's turn comes
        return found[0]

    def measured_on(self, golden_hash: str, corpus_hash: str, since: int = 0) -> list[Run]:
        """Finished points with an outcome for every one of these questions on these documents, the latest first.

        `since`: begun then or later, in milliseconds since 1970.
        """
        same = f"tags.golden_hash = '{golden_hash}' and tags.corpus_hash = '{corpus_hash}'"
        same += f" and tags.{KIND} = 'point' and attributes.start_time >= {since}"
        return self._search(f"{same} and attributes.status = 'FINISHED' and metrics.coverage = 1")

    def validated(self, judge: str) -> bool:
        """Whether people found that this judge may label, in the review of the latest run that had one."""
        reviewed = [run for run in self._search("metrics.judge_kappa > -2") if run.tags.get("judge") == judge]
        return bool(reviewed) and reviewed[0].tags[VALIDATED] == "true"

    def accepted(self) -> list[Run]:
        """Runs of the gate that passed and that later ones are compared with, the latest first."""
        return self._search(f"tags.{KIND} = 'gate' and tags.{ACCEPTED} = 'true' and attributes.status = 'FINISHED'")

    def noise(self, judge: str, of: str = "judge") -> float | None:
        """The noise of the judge's labels, or of one of its scores, as it was last measured; None if it never was."""
        name = f"{of}_noise"
        measured = [run for run in self._search(f"metrics.{name} >= 0") if run.tags.get("judge") == judge]
        return measured[0].metrics[name] if measured else None

    def _get(self, run_id: str) -> Any:
        from mlflow import MlflowException

        try:
            return self._client.get_run(run_id)
        except MlflowException as error:
            raise InputError(f"run {run_id}: {error}") from error

    def _search(self, condition: str, limit: int | None = None, experiment: str | None = None) -> list[Run]:
        """Runs of an experiment, else of the own one, the latest first."""
        runs: list[Run] = []
        token = None
        while True:
            page = self._client.search_runs(
                [experiment or self.experiment_id], condition, max_results=limit or 1000, page_token=token
            )
            runs += [record(run) for run in page]
            token = page.token
            if limit or not token:
                return runs
