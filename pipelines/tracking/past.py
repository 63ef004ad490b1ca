"""Runs of earlier commands, read again and added to."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from pipelines.tracking import logged_names
from pipelines.tracking.store import store_uri, use_store
from pipelines.tracking.tags import LONGEST_NAME, QUESTION
from rag.errors import InputError

_NO_POINT = "name a run of pipelines.evaluate or a point of a sweep"


class PastPoint:
    """The run of a point, read again; what is found out later is added to it. Raises InputError if it is not there."""

    def __init__(self, run_id: str, uri: str | None = None) -> None:
        import mlflow
        from mlflow.environment_variables import MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR

        MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR.set(False)
        self._mlflow, self.id = mlflow, run_id
        use_store(uri)
        self._client = mlflow.MlflowClient()
        try:
            self._run = self._client.get_run(run_id)
        except mlflow.MlflowException as error:
            raise InputError(
                f"run {run_id}: not in {store_uri(uri)}; name a run of pipelines.evaluate or a point"
            ) from error

    @property
    def tags(self) -> dict[str, str]:
        return self._run.data.tags

    def config(self) -> DictConfig:
        with self._reading("config.yaml", _NO_POINT):
            config = OmegaConf.create(self._mlflow.artifacts.load_text(f"runs:/{self.id}/config.yaml"))
            if not isinstance(config, DictConfig):
                raise ValueError("no configuration")
        return config

    def questions(self) -> list[dict[str, Any]]:
        table = self.load("questions.json", _NO_POINT)
        with self._reading("questions.json", _NO_POINT):
            return [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]

    def load(self, name: str, remedy: str) -> Any:
        """What `keep` has kept. Raises InputError with the remedy if there is nothing."""
        with self._reading(name, remedy):
            return self._mlflow.artifacts.load_dict(f"runs:/{self.id}/{name}")

    def keep(self, value: Mapping[str, Any], name: str) -> None:
        self._client.log_dict(self.id, dict(value), name)

    def metrics(self, metrics: Mapping[str, float]) -> None:
        for name, value in metrics.items():
            self._client.log_metric(self.id, logged_names.metric(name), value)

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
            name=row["id"][:LONGEST_NAME],
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
        except (LookupError, TypeError, ValueError, YAMLError, OmegaConfBaseException) as error:
            raise InputError(f"run {self.id}: {name} is damaged ({type(error).__name__}); measure it anew") from error
