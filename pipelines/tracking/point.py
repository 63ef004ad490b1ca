"""The open run of a point."""

import json
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pipelines.tracking.tags import LONGEST, NOTE

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class PointError(Exception):
    """A point's computation failed; its run is FAILED and carries the error."""


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

    def note(self, markdown: str) -> None:
        self._mlflow.set_tag(NOTE, markdown)
