"""Where the store is, and what is asked of it before anything is opened there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from rag.errors import InputError


def store_uri(uri: str | None) -> str:
    """`uri`, else MLFLOW_TRACKING_URI, else `mlflow.db` in the current directory."""
    return uri or os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{os.getcwd()}/mlflow.db"


def check_experiment(experiment: str, uri: str | None) -> None:
    """Raises InputError if the store has no such experiment, where opening it would make an empty one."""
    import mlflow

    if "MLFLOW_RUN_ID" in os.environ:  # the experiment is that of the run which `mlflow run` has opened
        return

    client = mlflow.MlflowClient(store_uri(uri))
    if not client.get_experiment_by_name(experiment):
        known = ", ".join(found.name for found in client.search_experiments() if found.name != "Default") or "none"
        raise InputError(f"experiment {experiment!r}: not in {store_uri(uri)}; there: {known}")


@contextmanager
def without_retries() -> Iterator[None]:
    """A server that is not there is said at once, not after minutes; during a sweep MLflow's patience is welcome."""
    from mlflow.environment_variables import MLFLOW_HTTP_REQUEST_MAX_RETRIES as RETRIES

    before = RETRIES.get_raw()
    RETRIES.set(0)
    try:
        yield
    finally:
        RETRIES.unset() if before is None else RETRIES.set(before)
