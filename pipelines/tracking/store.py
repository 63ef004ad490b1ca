"""Where the store is, and what is asked of it before anything is opened there."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager

from rag.errors import InputError


def store_uri(uri: str | None) -> str:
    """`uri`, else MLFLOW_TRACKING_URI, else `mlflow.db` in the current directory."""
    return uri or os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{os.getcwd()}/mlflow.db"


def store_state(uri: str | None) -> str | None:
    """A hash of where a store is and of all that it holds; None for one that is no file or cannot be read."""
    address = store_uri(uri)
    file = address.removeprefix("sqlite:///")
    if file == address or not os.path.isfile(file):
        return None
    digest = hashlib.sha256(address.encode())
    for part in (file, f"{file}-journal", f"{file}-wal"):  # what SQLite has not yet written into the file, too
        try:
            with open(part, "rb") as read:
                digest.update(hashlib.file_digest(read, "sha256").digest())
        except FileNotFoundError:  # it comes and goes with every transaction
            continue
        except OSError:
            return None
    return digest.hexdigest()


def check_experiment(experiment: str, uri: str | None) -> None:
    """Raises InputError if the store has no such experiment, where opening it would make an empty one."""
    import mlflow

    if "MLFLOW_RUN_ID" in os.environ:  # the experiment is that of the run which `mlflow run` has opened
        return

    with reaching(uri):
        _check_file(store_uri(uri))
        client = mlflow.MlflowClient(store_uri(uri))
        if not client.get_experiment_by_name(experiment):
            known = ", ".join(found.name for found in client.search_experiments() if found.name != "Default") or "none"
            raise InputError(f"experiment {experiment!r}: not in {store_uri(uri)}; there: {known}")


def use_store(uri: str | None, new: bool = False) -> None:
    """Let MLflow speak to this store, without opening an experiment. Raises InputError if it cannot be used.

    `new`: a file that is not there is made.
    """
    import mlflow

    with reaching(uri):
        if not new:
            _check_file(store_uri(uri))
        mlflow.set_tracking_uri(store_uri(uri))
        mlflow.MlflowClient().search_experiments(max_results=1)


def _check_file(uri: str) -> None:
    file = uri.removeprefix("sqlite:///")
    if file != uri and not os.path.exists(file):
        raise FileNotFoundError("no such file; runs are in the folder where the sweep was started")


@contextmanager
def reaching(uri: str | None, what: str = "") -> Iterator[None]:
    """Raises InputError, at once, if the store, or `what` in it, cannot be used: its scheme, server or folder."""
    import mlflow
    from alembic.util.exc import CommandError
    from sqlalchemy.exc import SQLAlchemyError

    try:
        with without_retries():
            yield
    except InputError:  # says more
        raise
    except CommandError as error:  # two first commands at once, or a store of another release of MLflow
        problem = "its tables are of another release of MLflow, or are being made right now; then start again"
        raise InputError(f"tracking.uri={store_uri(uri)}{what}: {problem}") from error
    except (mlflow.MlflowException, SQLAlchemyError, OSError, ImportError, ValueError) as error:
        problem = " ".join(str(error).split())[:300]
        raise InputError(f"tracking.uri={store_uri(uri)}{what}: {problem}") from error


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
