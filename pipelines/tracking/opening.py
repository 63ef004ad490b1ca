"""Opening an experiment, so that a store that cannot be used is said at once."""

import logging
import os
from typing import Any

from pipelines import view
from pipelines.tracking.store import store_uri, without_retries
from rag.errors import InputError


def open_experiment(experiment: str, uri: str | None) -> tuple[Any, str]:
    """The store's client and the experiment's id; makes the experiment, or takes that of the run of `mlflow run`."""
    import mlflow
    from alembic.util.exc import CommandError
    from sqlalchemy.exc import SQLAlchemyError

    logging.getLogger("mlflow").setLevel(logging.WARNING)  # its news about new tables would tear the bar
    os.environ.setdefault("MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT", "true")  # the commands name what matters
    store = store_uri(uri)
    try:
        mlflow.set_tracking_uri(store)
        client = mlflow.MlflowClient()
        with without_retries():
            client.search_experiments(max_results=1)
        if adopted := os.environ.get("MLFLOW_RUN_ID"):  # `mlflow run` has opened a run for this command
            experiment_id = client.get_run(adopted).info.experiment_id
        else:
            experiment_id = mlflow.set_experiment(experiment).experiment_id
            # The UI then opens on the table of runs, not on its pages for traces.
            client.set_experiment_tag(experiment_id, "mlflow.experimentKind", "custom_model_development")
        client.set_experiment_tag(experiment_id, view.TAG, view.state())
    except CommandError as error:  # two first commands at once, or a store of another release of MLflow
        problem = "its tables are of another release of MLflow, or are being made right now; then start again"
        raise InputError(f"tracking.uri={store}: {problem}") from error
    except (mlflow.MlflowException, SQLAlchemyError, OSError) as error:
        problem = " ".join(str(error).split())[:300]
        raise InputError(f"tracking.uri={store}, experiment {experiment!r}: {problem}") from error
    return client, experiment_id
