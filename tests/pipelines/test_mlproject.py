"""`mlflow run` with the project file, as a person runs it."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from tiny import SMALL, workplace

from pipelines.config import ROOT
from pipelines.project import COMMANDS


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with workplace(tmp_path):
        yield tmp_path


def test_every_entry_point_hands_its_overrides_to_a_command() -> None:
    entries = yaml.safe_load((ROOT / "MLproject").read_text())["entry_points"]
    assert set(entries) == {"main", *COMMANDS}
    for name, entry in entries.items():
        command = "sweep" if name == "main" else name
        assert entry["command"] == f"python -m pipelines.project {command} {{overrides}}"


@pytest.mark.model
def test_mlflow_run_evaluates_in_the_run_that_it_opened(folder: Path) -> None:
    from mlflow import MlflowClient

    store = f"sqlite:///{folder / 'mlflow.db'}"
    overrides = [*SMALL, "reranker=none", "retrieval.top_k=2", f"tracking.ledger={folder / 'ledger.csv'}"]
    ended = subprocess.run(
        [
            *(sys.executable, "-m", "mlflow", "run", str(ROOT), "-e", "evaluate", "--env-manager=local"),
            *("-P", f"overrides={' '.join(overrides)}"),
        ],
        env={
            **os.environ,
            "MLFLOW_TRACKING_URI": store,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    client = MlflowClient(store)
    (run,) = client.search_runs([experiment.experiment_id for experiment in client.search_experiments()])
    assert run.info.status == "FINISHED"
    assert run.info.run_name == "structure-64/0 · minilm · hybrid · top 2 · no reranker"
    assert shlex.split(run.data.params["overrides"]) == [" ".join(overrides)]  # MLflow quotes it for the shell
    assert run.data.params["retrieval.top_k"] == "2"
    assert run.data.metrics["recall_at_8"] == 1
    assert {artifact.path for artifact in client.list_artifacts(run.info.run_id)} >= {"questions.json", "config.yaml"}
