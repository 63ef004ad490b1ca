"""The one file that speaks to MLflow."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

FINGERPRINT, PARENT = "fingerprint", "mlflow.parentRunId"
KIND = "messlatte.kind"  # sweep or point


@dataclass(frozen=True, slots=True)
class Run:
    """A run as the store holds it."""

    id: str
    name: str
    status: str
    params: dict[str, str]
    metrics: dict[str, float]
    tags: dict[str, str]


class Tracking:
    """One experiment in one store. `uri` None: MLFLOW_TRACKING_URI, or `mlflow.db` in the current directory."""

    def __init__(self, experiment: str, uri: str | None = None) -> None:
        os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
        import mlflow

        self._mlflow = mlflow
        mlflow.set_tracking_uri(uri or os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{os.getcwd()}/mlflow.db")
        if adopted := os.environ.get("MLFLOW_RUN_ID"):  # `mlflow run` has opened a run for this command
            self.experiment_id = mlflow.get_run(adopted).info.experiment_id
        else:
            self.experiment_id = mlflow.set_experiment(experiment).experiment_id

    @contextmanager
    def sweep(self, name: str, tags: Mapping[str, str]) -> Iterator[str]:
        """A run that holds the points of a sweep; yields its id. It fails when the sweep does."""
        with self._mlflow.start_run(experiment_id=self.experiment_id, run_name=name) as run:
            self._mlflow.set_tags({**tags, KIND: "sweep"})
            yield run.info.run_id

    @contextmanager
    def point(self, name: str, parent: str | None, tags: Mapping[str, str]) -> Iterator["Point"]:
        """A run for one sweep point. An exception ends it FAILED, with the error as a tag, and goes on up."""
        options = {"experiment_id": self.experiment_id, "run_name": name, "parent_run_id": parent, "nested": bool(parent)}
        with self._mlflow.start_run(**options) as run:
            self._mlflow.set_tags({**tags, KIND: "point"})
            try:
                yield Point(self._mlflow, run.info.run_id)
            except BaseException as error:
                self._mlflow.set_tag("error", f"{type(error).__name__}: {error}"[:5000])
                raise

    def finished(self, fingerprint: str) -> Run | None:
        """The latest finished point with this fingerprint."""
        found = self._search(f"tags.{FINGERPRINT} = '{fingerprint}' and attributes.status = 'FINISHED'", limit=1)
        return found[0] if found else None

    def children(self, parent: str) -> list[Run]:
        """All points of a sweep, in the order in which they started."""
        return self._search(f"tags.`{PARENT}` = '{parent}'")[::-1]

    def _search(self, condition: str, limit: int | None = None) -> list[Run]:
        runs: list[Run] = []
        token = None
        client = self._mlflow.MlflowClient()
        while True:
            page = client.search_runs(
                [self.experiment_id], condition, max_results=limit or 1000, page_token=token, order_by=["attributes.start_time DESC"]
            )
            runs += [
                Run(r.info.run_id, r.info.run_name, r.info.status, r.data.params, r.data.metrics, r.data.tags) for r in page
            ]
            token = page.token
            if limit or not token:
                return runs

    def attach(self, run_id: str, table: "pd.DataFrame", figure: "Figure", note: str) -> None:
        """Put a leaderboard, a picture and a description in Markdown on a run."""
        client = self._mlflow.MlflowClient()
        client.log_table(run_id, table, "leaderboard.json")
        client.log_figure(run_id, figure, "quality_latency.png")
        client.set_tag(run_id, "mlflow.note.content", note)


class Point:
    """An open run. Every method logs one kind of thing."""

    def __init__(self, mlflow: Any, run_id: str) -> None:
        self._mlflow, self.run_id = mlflow, run_id

    def params(self, params: Mapping[str, Any]) -> None:
        self._mlflow.log_params({key: _short(value) for key, value in params.items()})

    def metrics(self, metrics: Mapping[str, float]) -> None:
        self._mlflow.log_metrics(dict(metrics))

    def tags(self, tags: Mapping[str, str]) -> None:
        self._mlflow.set_tags(dict(tags))

    def golden_set(self, questions: "pd.DataFrame", source: str, digest: str) -> None:
        import mlflow.data

        dataset = mlflow.data.from_pandas(questions, source=source, name="golden-set", digest=digest[:16])
        self._mlflow.log_input(dataset, context="evaluation")

    def config(self, yaml: str) -> None:
        self._mlflow.log_text(yaml, "config.yaml")

    def questions(self, rows: Sequence[Mapping[str, Any]]) -> None:
        import pandas as pd

        self._mlflow.log_table(pd.DataFrame(list(rows)), "questions.json")

    def figure(self, figure: "Figure", name: str) -> None:
        self._mlflow.log_figure(figure, name)

    def note(self, markdown: str) -> None:
        self._mlflow.set_tag("mlflow.note.content", markdown)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text[:6000]
