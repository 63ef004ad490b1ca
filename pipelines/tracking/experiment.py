"""An experiment that is written to: the runs of sweeps, points and comparisons."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from omegaconf import DictConfig

from pipelines import guide
from pipelines.tracking.opening import open_experiment
from pipelines.tracking.point import Point, PointError
from pipelines.tracking.reading import Runs
from pipelines.tracking.record import Run
from pipelines.tracking.store import store_uri
from pipelines.tracking.tags import BEAT, KIND, LONGEST, NOTE, OBJECTIVE, PARENT, REUSED

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

COMPARISON = "## Comparison"  # heads what pipelines.compare adds to a description


class Tracking(Runs):
    """One experiment in one store. `uri` None: MLFLOW_TRACKING_URI, or `mlflow.db` in the current directory."""

    def __init__(self, experiment: str, uri: str | None = None) -> None:
        import mlflow

        self._mlflow, self.uri = mlflow, store_uri(uri)
        super().__init__(*open_experiment(experiment, uri))

    @contextmanager
    def sweep(self, name: str, tags: Mapping[str, str] | None = None) -> Iterator[str]:
        """A run that holds the points of a sweep; yields its id. Takes the run that `mlflow run` has opened, if any."""
        with self._mlflow.start_run(experiment_id=self.experiment_id, run_name=name) as run:
            self._mlflow.set_tags({**(tags or {}), KIND: "sweep", "mlflow.runName": name})
            yield run.info.run_id

    @contextmanager
    def point(self, name: str, parent: str | None, tags: Mapping[str, str], kind: str = "point") -> Iterator[Point]:
        """A run for one point, below `parent` if there is one. Raises PointError for any exception inside."""
        if parent:
            self.run(parent)
        # The tags come with the run: a process that is killed leaves none without them.
        with self._mlflow.start_run(
            experiment_id=self.experiment_id,
            run_name=name,
            parent_run_id=parent,
            nested=parent is not None,
            tags={**tags, KIND: kind, "mlflow.runName": name},
        ) as run:
            try:
                yield Point(self._mlflow, run.info.run_id, self.experiment_id)
            except Exception as error:
                reason = f"{type(error).__name__}: {error}"
                self._mlflow.set_tag("error", reason[:LONGEST])
                raise PointError(f"{name}: {reason}") from error

    @contextmanager
    def comparison(self, name: str) -> Iterator[str]:
        """A run for what is found by comparing others; yields its id."""
        with self._mlflow.start_run(experiment_id=self.experiment_id, run_name=name) as run:
            self._mlflow.set_tags({KIND: "comparison", "mlflow.runName": name})
            yield run.info.run_id

    def reuse(self, earlier: Run, parent: str | None) -> None:
        """Make an earlier run one of the points of a sweep; a run of the same sweep is one already."""
        if parent and earlier.tags.get(PARENT) != parent:
            self._client.set_tag(parent, REUSED + earlier.id, earlier.name)

    def fail(self, run: Run, cause: str) -> None:
        """Close a run whose process cannot do it any more."""
        self._client.set_tag(run.id, "error", cause[:LONGEST])
        self._client.set_terminated(run.id, "FAILED")

    def beat(self, sweep: str) -> None:
        """Note that the sweep is alive."""
        self._client.set_tag(sweep, BEAT, str(round(time.time())))

    def attach(self, run_id: str, table: "pd.DataFrame", figure: "Figure", note: str) -> None:
        """Put a leaderboard, a picture and a description in Markdown on a sweep, and this also on the experiment."""
        self._client.log_table(run_id, table, "leaderboard.json")
        self._client.log_figure(run_id, figure, "quality_latency.png")
        self._client.set_tag(run_id, NOTE, note)
        before = self._client.get_experiment(self.experiment_id).tags.get(NOTE, "")
        latest = f"[The sweep's run](#/experiments/{self.experiment_id}/runs/{run_id})\n\n{note}"
        own = guide.described(before, guide.experiment(self.experiment_id, latest))
        self._client.set_experiment_tag(self.experiment_id, NOTE, own)

    def attach_comparison(
        self,
        run_id: str,
        report: str,
        tables: "Mapping[str, pd.DataFrame]",
        pictures: "Mapping[str, Figure]",
        note: str,
        objective: str,
    ) -> str:
        """Put a report, tables and pictures on a run and a summary below its description, in place of earlier ones.

        The objective becomes a tag, by which compared runs are found.
        Returns where the report is, below the UI's own address.
        """
        self._client.log_text(run_id, report, "report.html")
        for name, table in tables.items():
            text = table.to_json(orient="split", index=False, force_ascii=False)
            self._client.log_text(run_id, text, f"compare/{name}.json")
        for name, figure in pictures.items():
            self._client.log_figure(run_id, figure, f"compare/{name}.png", save_kwargs={"dpi": 160})
        run = self._client.get_run(run_id)
        own = run.data.tags.get(NOTE, "").partition(COMPARISON)[0].rstrip()
        self._client.set_tag(run_id, NOTE, f"{own}\n\n{COMPARISON}\n\n{note}".lstrip())
        self._client.set_tag(run_id, OBJECTIVE, objective)
        return f"/#/experiments/{run.info.experiment_id}/runs/{run_id}/artifacts/report.html"


def tracking(cfg: DictConfig) -> Tracking:
    return _tracking(cfg.tracking.experiment, cfg.tracking.uri)


@cache
def _tracking(experiment: str, uri: str | None) -> Tracking:
    return Tracking(experiment, uri)
