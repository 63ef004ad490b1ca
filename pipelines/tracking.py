"""Runs: one of the two files that speak to MLflow, beside `registry.py`."""

import json
import logging
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from omegaconf import DictConfig, OmegaConf

from pipelines import view
from rag.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

FINGERPRINT = "fingerprint"
KIND = "kind"  # sweep, point, comparison, threshold or gate
PARENT = "mlflow.parentRunId"
REUSED = "reused."  # tag on a sweep: followed by the id of an earlier run that is one of its points
QUESTION = "messlatte.question"  # tag on a trace that people assess: the question's id
_NO_POINT = "name a run of pipelines.evaluate or a point of a sweep"
OBJECTIVE = "objective"  # tag on a run that holds a comparison: what it ranks by
VALIDATED = "judge_validated"
GATE = "gate"  # tag on a run of kind gate: passed or failed
ACCEPTED = "gate_accepted"  # tag on it: whether later ones are compared with it
MEASURED = "gate_point"  # tag on it: the id of the point that it looked at
LONGEST = 6000  # characters of a param or a tag
COMPARISON = "## Comparison"  # heads what pipelines.compare adds to a description


class PointError(Exception):
    """A point's computation failed; its run is FAILED and carries the error."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run as the store holds it. `reused`: computed before the sweep that lists it."""

    id: str
    name: str
    status: str
    params: dict[str, str]
    metrics: dict[str, float]
    tags: dict[str, str]
    reused: bool = False


def tracking(cfg: DictConfig) -> "Tracking":
    return _tracking(cfg.tracking.experiment, cfg.tracking.uri)


def check_experiment(experiment: str, uri: str | None) -> None:
    """Raises InputError if the store has no such experiment, where opening it would make an empty one."""
    import mlflow

    if "MLFLOW_RUN_ID" in os.environ:  # the experiment is that of the run which `mlflow run` has opened
        return

    client = mlflow.MlflowClient(_store(uri))
    if not client.get_experiment_by_name(experiment):
        known = ", ".join(found.name for found in client.search_experiments() if found.name != "Default") or "none"
        raise InputError(f"experiment {experiment!r}: not in {_store(uri)}; there: {known}")


@cache
def _tracking(experiment: str, uri: str | None) -> "Tracking":
    return Tracking(experiment, uri)


class Tracking:
    """One experiment in one store. `uri` None: MLFLOW_TRACKING_URI, or `mlflow.db` in the current directory."""

    def __init__(self, experiment: str, uri: str | None = None) -> None:
        import mlflow
        from alembic.util.exc import CommandError
        from sqlalchemy.exc import SQLAlchemyError

        logging.getLogger("mlflow").setLevel(logging.WARNING)  # its news about new tables would tear the bar
        self._mlflow = mlflow
        store = _store(uri)
        try:
            mlflow.set_tracking_uri(store)
            self._client = mlflow.MlflowClient()
            with _without_retries():
                self._client.search_experiments(max_results=1)
            if adopted := os.environ.get("MLFLOW_RUN_ID"):  # `mlflow run` has opened a run for this command
                self.experiment_id = self._client.get_run(adopted).info.experiment_id
            else:
                self.experiment_id = mlflow.set_experiment(experiment).experiment_id
                # The UI then opens on the table of runs, not on its pages for traces.
                self._client.set_experiment_tag(self.experiment_id, "mlflow.experimentKind", "custom_model_development")
            self._client.set_experiment_tag(self.experiment_id, view.TAG, view.state())
        except CommandError as error:  # two first commands at once, or a store of another release of MLflow
            problem = "its tables are of another release of MLflow, or are being made right now; then start again"
            raise InputError(f"tracking.uri={store}: {problem}") from error
        except (mlflow.MlflowException, SQLAlchemyError, OSError) as error:
            problem = " ".join(str(error).split())[:300]
            raise InputError(f"tracking.uri={store}, experiment {experiment!r}: {problem}") from error

    @contextmanager
    def sweep(self, name: str) -> Iterator[str]:
        """A run that holds the points of a sweep; yields its id. Takes the run that `mlflow run` has opened, if any."""
        with self._mlflow.start_run(experiment_id=self.experiment_id, run_name=name) as run:
            self._mlflow.set_tags({KIND: "sweep", "mlflow.runName": name})
            yield run.info.run_id

    @contextmanager
    def point(self, name: str, parent: str | None, tags: Mapping[str, str], kind: str = "point") -> Iterator["Point"]:
        """A run for one point, below `parent` if there is one. Raises PointError for any exception inside."""
        if parent:
            self.run(parent)
        with self._mlflow.start_run(
            experiment_id=self.experiment_id, run_name=name, parent_run_id=parent, nested=parent is not None
        ) as run:
            self._mlflow.set_tags({**tags, KIND: kind, "mlflow.runName": name})
            try:
                yield Point(self._mlflow, run.info.run_id)
            except Exception as error:
                reason = f"{type(error).__name__}: {error}"
                self._mlflow.set_tag("error", reason[:LONGEST])
                raise PointError(f"{name}: {reason}") from error

    def reuse(self, earlier: Run, parent: str | None) -> None:
        """Make an earlier run one of the points of a sweep; a run of the same sweep is one already."""
        if parent and earlier.tags.get(PARENT) != parent:
            self._client.set_tag(parent, REUSED + earlier.id, earlier.name)

    def finished(self, fingerprint: str) -> Run | None:
        """The latest finished point with this fingerprint that has an answer to every question."""
        same = f"tags.{FINGERPRINT} = '{fingerprint}'"
        found = self._search(f"{same} and attributes.status = 'FINISHED' and metrics.coverage = 1", limit=1)
        return found[0] if found else None

    def validated(self, judge: str) -> bool:
        """Whether people found that this judge may label, in the review of the latest run that had one."""
        reviewed = [run for run in self._search("metrics.judge_kappa > -2") if run.tags.get("judge") == judge]
        return bool(reviewed) and reviewed[0].tags[VALIDATED] == "true"

    def run(self, run_id: str) -> Run:
        """Raises InputError if the store holds no such run."""
        try:
            return _record(self._client.get_run(run_id))
        except self._mlflow.MlflowException as error:
            raise InputError(f"run {run_id}: {error}") from error

    def points(self, sweep: str) -> list[Run]:
        """All points of a sweep, those of earlier runs too, in the order in which they were computed."""
        reused = [tag.removeprefix(REUSED) for tag in self.run(sweep).tags if tag.startswith(REUSED)]
        earlier = sorted(map(self._client.get_run, reused), key=lambda run: run.info.start_time)
        own = self._search(f"tags.`{PARENT}` = '{sweep}'", experiment=self._client.get_run(sweep).info.experiment_id)
        return [_record(run, reused=True) for run in earlier] + own[::-1]

    def all_points(self) -> list[Run]:
        """All points of the experiment in the order in which they were computed."""
        return self._search(f"tags.{KIND} = 'point'")[::-1]

    def _search(self, condition: str, limit: int | None = None, experiment: str | None = None) -> list[Run]:
        """Runs of an experiment, else of the own one, the latest first."""
        runs: list[Run] = []
        token = None
        while True:
            page = self._client.search_runs(
                [experiment or self.experiment_id], condition, max_results=limit or 1000, page_token=token
            )
            runs += [_record(run) for run in page]
            token = page.token
            if limit or not token:
                return runs

    def attach(self, run_id: str, table: "pd.DataFrame", figure: "Figure", note: str) -> None:
        """Put a leaderboard, a picture and a description in Markdown on a sweep."""
        self._client.log_table(run_id, table, "leaderboard.json")
        self._client.log_figure(run_id, figure, "quality_latency.png")
        self._client.set_tag(run_id, "mlflow.note.content", note)

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
        own = run.data.tags.get("mlflow.note.content", "").partition(COMPARISON)[0].rstrip()
        self._client.set_tag(run_id, "mlflow.note.content", f"{own}\n\n{COMPARISON}\n\n{note}".lstrip())
        self._client.set_tag(run_id, OBJECTIVE, objective)
        return f"/#/experiments/{run.info.experiment_id}/runs/{run_id}/artifacts/report.html"

    @contextmanager
    def comparison(self, name: str) -> Iterator[str]:
        """A run for what is found by comparing others; yields its id."""
        with self._mlflow.start_run(experiment_id=self.experiment_id, run_name=name) as run:
            self._mlflow.set_tags({KIND: "comparison", "mlflow.runName": name})
            yield run.info.run_id

    def measured_on(self, golden_hash: str, corpus_hash: str) -> list[Run]:
        """Finished points with an outcome for every one of these questions on these documents, the latest first."""
        same = f"tags.{KIND} = 'point' and tags.golden_hash = '{golden_hash}' and tags.corpus_hash = '{corpus_hash}'"
        return self._search(f"{same} and attributes.status = 'FINISHED' and metrics.coverage = 1")

    def accepted(self) -> list[Run]:
        """Runs of the gate that passed and that later ones are compared with, the latest first."""
        return self._search(f"tags.{KIND} = 'gate' and tags.{ACCEPTED} = 'true' and attributes.status = 'FINISHED'")

    def noise(self, judge: str, of: str = "judge") -> float | None:
        """The noise of the judge's labels, or of one of its scores, as it was last measured; None if it never was."""
        name = f"{of}_noise"
        measured = [run for run in self._search(f"metrics.{name} >= 0") if run.tags.get("judge") == judge]
        return measured[0].metrics[name] if measured else None


class Point:
    """An open run."""

    def __init__(self, mlflow: Any, run_id: str) -> None:
        self._mlflow, self.id = mlflow, run_id

    def params(self, params: Mapping[str, Any]) -> None:
        texts = {key: v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for key, v in params.items()}
        self._mlflow.log_params({key: text[:LONGEST] for key, text in texts.items()})

    def metrics(self, metrics: Mapping[str, float]) -> None:
        self._mlflow.log_metrics({name: round(value, 6) for name, value in metrics.items()})  # as many as the UI shows

    def dataset(self, table: "pd.DataFrame", source: str, digest: str) -> None:
        """Name the golden set as the run's input; `digest` is cut to the length that MLflow takes."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The specified dataset source can be interpreted")
            dataset = self._mlflow.data.from_pandas(table, source=source, name="golden-set", digest=digest[:16])
        self._mlflow.log_input(dataset, context="evaluation")

    def text(self, text: str, name: str) -> None:
        self._mlflow.log_text(text, name)

    def table(self, rows: Sequence[Mapping[str, Any]], name: str) -> None:
        import pandas as pd

        self._mlflow.log_table(pd.DataFrame(list(rows)), name)

    def figure(self, figure: "Figure", name: str) -> None:
        self._mlflow.log_figure(figure, name)

    def tags(self, tags: Mapping[str, str]) -> None:
        self._mlflow.set_tags(tags)

    def note(self, markdown: str) -> None:
        self._mlflow.set_tag("mlflow.note.content", markdown)


@contextmanager
def _without_retries() -> Iterator[None]:
    """A server that is not there is said at once, not after minutes; during a sweep MLflow's patience is welcome."""
    from mlflow.environment_variables import MLFLOW_HTTP_REQUEST_MAX_RETRIES as RETRIES

    before = RETRIES.get_raw()
    RETRIES.set(0)
    try:
        yield
    finally:
        RETRIES.unset() if before is None else RETRIES.set(before)


class PastPoint:
    """The run of a point, read again; what is found out later is added to it. Raises InputError if it is not there."""

    def __init__(self, run_id: str, uri: str | None = None) -> None:
        import mlflow

        self._mlflow, self.id = mlflow, run_id
        mlflow.set_tracking_uri(_store(uri))
        self._client = mlflow.MlflowClient()
        try:
            with _without_retries():
                self._run = self._client.get_run(run_id)
        except mlflow.MlflowException as error:
            raise InputError(
                f"run {run_id}: not in {_store(uri)}; name a run of pipelines.evaluate or a point"
            ) from error

    @property
    def tags(self) -> dict[str, str]:
        return self._run.data.tags

    def config(self) -> DictConfig:
        with self._reading("config.yaml", _NO_POINT):
            config = OmegaConf.create(self._mlflow.artifacts.load_text(f"runs:/{self.id}/config.yaml"))
        assert isinstance(config, DictConfig)
        return config

    def questions(self) -> list[dict[str, Any]]:
        table = self.load("questions.json", _NO_POINT)
        return [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]

    def load(self, name: str, remedy: str) -> Any:
        """What `keep` has kept. Raises InputError with the remedy if there is nothing."""
        from mlflow.environment_variables import MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR as BAR

        BAR.set(False)
        with self._reading(name, remedy):
            return self._mlflow.artifacts.load_dict(f"runs:/{self.id}/{name}")

    def keep(self, value: Mapping[str, Any], name: str) -> None:
        self._client.log_dict(self.id, dict(value), name)

    def metrics(self, metrics: Mapping[str, float]) -> None:
        for name, value in metrics.items():
            self._client.log_metric(self.id, name, value)

    def tag(self, name: str, value: str) -> None:
        self._client.set_tag(self.id, name, value)

    def show(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Show questions with their answers as traces of the run, for people to assess; each once."""
        shown = {trace.info.tags[QUESTION] for trace in self._traces()}
        for row in rows:
            if row["id"] not in shown:
                self._trace(row)
        self._mlflow.flush_trace_async_logging()

    def assessed(self, name: str) -> dict[str, Any]:
        """By question id what people said in the assessment `name` of its trace, the latest if there are several."""
        return {
            trace.info.tags[QUESTION]: said.feedback.value
            for trace in self._traces()
            for said in sorted(trace.info.assessments, key=lambda said: said.last_update_time_ms)
            if said.name == name and said.feedback and said.source.source_type == "HUMAN"
        }

    def _traces(self) -> list[Any]:
        found = self._mlflow.search_traces(
            locations=[self._run.info.experiment_id], run_id=self.id, return_type="list", include_spans=False
        )
        return [trace for trace in found if QUESTION in trace.info.tags]

    def _trace(self, row: Mapping[str, Any]) -> None:
        asked = {
            "question": row["question"],
            "expected_answer": row["expected_answer"],
            "references": row["references"],
        }
        span = self._mlflow.start_span_no_context(
            name=row["id"],
            inputs=asked,
            tags={QUESTION: row["id"]},
            metadata={"mlflow.sourceRun": self.id},
            experiment_id=self._run.info.experiment_id,
        )
        span.end(outputs={"answer": row["answer"], "cited": row["cited"]})

    @contextmanager
    def _reading(self, name: str, remedy: str) -> Iterator[None]:
        from mlflow import MlflowException

        try:
            yield
        except (MlflowException, OSError) as error:
            raise InputError(f"run {self.id}: no {name}; {remedy}") from error


def _store(uri: str | None) -> str:
    return uri or os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{os.getcwd()}/mlflow.db"


def _record(run: Any, reused: bool = False) -> Run:
    info, data = run.info, run.data
    return Run(info.run_id, info.run_name, info.status, data.params, data.metrics, data.tags, reused)
