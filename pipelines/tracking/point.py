"""The open run of a point."""

import json
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pipelines.tracking import logged_names
from pipelines.tracking.tags import LONGEST, NOTE, PRUNED, TABLES
from pipelines.tracking.traces import Traced, log_traces

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

DIGITS = 6  # of a metric, as many as the UI shows
_datasets: dict[tuple[str, str], Any] = {}  # by source and digest: MLflow works out the types of all columns for each


class PointError(Exception):
    """A point's computation failed; its run is FAILED and carries the error."""


class Point:
    """An open run."""

    def __init__(self, mlflow: Any, run_id: str, experiment_id: str) -> None:
        self._mlflow, self.id, self._experiment_id = mlflow, run_id, experiment_id
        self._tables: list[dict[str, str]] = []

    def params(self, params: Mapping[str, Any]) -> None:
        texts = {key: v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for key, v in params.items()}
        self._mlflow.log_params({logged_names.param(key): text[:LONGEST] for key, text in texts.items()})

    def metrics(self, metrics: Mapping[str, float]) -> None:
        shown = {logged_names.metric(name): round(value, DIGITS) for name, value in metrics.items()}
        self._mlflow.log_metrics(shown)

    def dataset(self, table: "pd.DataFrame", source: str, digest: str) -> None:
        """Name the golden set as the run's input; `digest` is cut to the length that MLflow takes."""
        if (source, digest) not in _datasets:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "The specified dataset source can be interpreted")
                made = self._mlflow.data.from_pandas(table, source=source, name="golden-set", digest=digest[:16])
            _datasets[source, digest] = made
        self._mlflow.log_input(_datasets[source, digest], context="evaluation")

    def text(self, text: str, name: str) -> None:
        self._mlflow.log_text(text, name)

    def table(self, rows: Sequence[Mapping[str, Any]], name: str) -> None:
        """Log what `mlflow.log_table` would, without its search for pictures in every cell and for an earlier table."""
        columns = list(dict.fromkeys(key for row in rows for key in row))
        data = [[row.get(column) for column in columns] for row in rows]
        self.text(json.dumps({"columns": columns, "data": data}, ensure_ascii=False, allow_nan=False), name)
        self._tables.append({"path": name, "type": "table"})
        self._mlflow.set_tag(TABLES, json.dumps(self._tables))

    def figure(self, figure: "Figure", name: str) -> None:
        """Log a picture; in SVG its text stays text, which takes less than half the time of outlines."""
        from matplotlib import rc_context

        with rc_context({"svg.fonttype": "none"}):
            self._mlflow.log_figure(figure, name)

    def prune(self, reason: str) -> None:
        """End the run as KILLED: it is no finished point, and nothing has failed."""
        self._mlflow.set_tag(PRUNED, reason[:LONGEST])
        self._mlflow.end_run("KILLED")

    def tags(self, tags: Mapping[str, str]) -> None:
        self._mlflow.set_tags(tags)

    def traces(self, questions: Sequence[Traced]) -> None:
        log_traces(self.id, self._experiment_id, questions)

    def note(self, markdown: str) -> None:
        self._mlflow.set_tag(NOTE, markdown)
