"""Joining a Ray cluster, quietly and with what its workers must know."""

import logging
import os
from collections.abc import Mapping
from typing import Any

from rag.errors import InputError

FORWARDED = ("MLFLOW_TRACKING_", "MESSLATTE_", "OMP_WAIT_POLICY")
"""Beginnings of environment variables that workers get from the command. Ray shows them to whoever may see its jobs:
passwords belong in the environment of the nodes (PGPASSWORD, a .pgpass file)."""


def join(init: Mapping[str, Any] | None = None) -> None:
    """Join the cluster of `init["address"]` or RAY_ADDRESS, else begin one on this machine; nothing if in one already.

    `init` are arguments of `ray.init`. Raises InputError without Ray, and if no cluster answers.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # of this process; the nodes have their own logs
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else a warning about graphics cards
    try:
        import ray
    except ImportError as error:
        raise InputError("Ray is not installed; pip install -r requirements-ray.lock, or messlatte[ray]") from error
    if ray.is_initialized():
        return
    given = dict(init or {})
    address = given.get("address") or os.environ.get("RAY_ADDRESS")
    variables = {name: value for name, value in os.environ.items() if name.startswith(FORWARDED)}
    # "local": Ray would otherwise wait for the last cluster of this machine, also for one that was killed.
    own = {} if address else {"address": "local", "include_dashboard": False}
    settings = {"log_to_driver": False, "logging_level": logging.ERROR, "runtime_env": {"env_vars": variables}}
    try:
        ray.init(**{**settings, **given, **own})
    except (ConnectionError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(
            f"no Ray cluster at {address or 'this machine'} ({reason}); start one with `ray start --head`, "
            "or unset RAY_ADDRESS for one on this machine"
        ) from error


def machines() -> set[str]:
    """Names of the machines of the joined cluster."""
    import ray

    return {node["NodeManagerHostname"] for node in ray.nodes() if node["Alive"]}
