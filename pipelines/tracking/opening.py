"""Opening an experiment, so that a store that cannot be used is said at once."""

import logging
import os
from typing import Any

from pipelines import guide, view
from pipelines.tracking.store import reaching, use_store
from pipelines.tracking.tags import NOTE


def open_experiment(experiment: str, uri: str | None) -> tuple[Any, str]:
    """The store's client and the experiment's id; makes the experiment, or takes that of the run of `mlflow run`."""
    import mlflow

    logging.getLogger("mlflow").setLevel(logging.WARNING)  # its news about new tables would tear the bar
    os.environ.setdefault("MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT", "true")  # the commands name what matters
    use_store(uri, new=True)
    client = mlflow.MlflowClient()
    with reaching(uri, f", experiment {experiment!r}"):
        if adopted := os.environ.get("MLFLOW_RUN_ID"):  # `mlflow run` has opened a run for this command
            experiment_id = client.get_run(adopted).info.experiment_id
        else:
            experiment_id = mlflow.set_experiment(experiment).experiment_id
            # The UI then opens on the table of runs, not on its pages for traces.
            client.set_experiment_tag(experiment_id, "mlflow.experimentKind", "custom_model_development")
        client.set_experiment_tag(experiment_id, view.TAG, view.state())
        before = client.get_experiment(experiment_id).tags.get(NOTE, "")
        if guide.HEAD not in before:
            client.set_experiment_tag(experiment_id, NOTE, guide.described(before, guide.experiment(experiment_id)))
    return client, experiment_id
