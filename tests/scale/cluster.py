"""deploy/local.sh: two Ray nodes, PostgreSQL, `mlflow server` with artefacts over HTTP."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from pipelines.config import ROOT

SCRIPT = ROOT / "deploy" / "local.sh"


@dataclass(frozen=True)
class Cluster:
    folder: Path
    environment: dict[str, str]

    @property
    def client(self) -> Any:
        from mlflow import MlflowClient

        return MlflowClient(self.environment["MLFLOW_TRACKING_URI"])

    def runs(self, condition: str) -> list[Any]:
        experiment = self.client.get_experiment_by_name("messlatte")
        return list(self.client.search_runs([experiment.experiment_id], condition)) if experiment else []

    def kill_second_node(self) -> None:
        """As if its machine lost power: no process of it ends by itself."""
        os.killpg(int((self.folder / "ray-second.pid").read_text()), signal.SIGKILL)

    def command(self, arguments: Sequence[str], folder: Path) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "pipelines.sweep", *arguments],
            cwd=folder,
            env={**os.environ, **self.environment, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """Skips the test if PostgreSQL or Ray are not installed."""
    if not find_spec("ray") or not find_spec("psycopg") or not list(Path("/usr/lib/postgresql").glob("*/bin/postgres")):
        pytest.skip("needs requirements-ray.lock (make test-scale) and Debian's package postgresql")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MESSLATTE_BIN", str(Path(sys.executable).parent))
        subprocess.run([SCRIPT, "start", folder], check=True, timeout=400)
        try:
            words = (folder / "env").read_text().split()
            yield Cluster(folder, dict(word.split("=", 1) for word in words if word != "export"))
        finally:
            subprocess.run([SCRIPT, "stop", folder], check=True)
            shutil.rmtree(folder)
