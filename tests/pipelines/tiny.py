"""The tiny corpus (3 documents, 5 questions) and the commands, run as a person runs them."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from omegaconf import DictConfig

from pipelines import stages, tracking
from pipelines.command import run
from pipelines.config import ROOT, points
from pipelines.memo import forget
from pipelines.tracking import logged_names
from rag.cache import cache_folder

DATA = ROOT / "tests" / "data"
MATERIAL = (f"corpus.path={DATA / 'tiny'}", f"golden.path={DATA / 'tiny.jsonl'}")
SMALL = (*MATERIAL, "chunking.size=64", "chunking.overlap=0", "embedding=minilm")


def point(*overrides: str) -> DictConfig:
    (only,) = points("config", overrides)
    return only


@contextmanager
def workplace(folder: Path) -> Iterator[pytest.MonkeyPatch]:
    """`folder` is the current one; nothing is left over from an earlier command of this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        # MLflow writes its settings into the environment, for child processes.
        for name in ("MLFLOW_TRACKING_URI", "MLFLOW_EXPERIMENT_ID", "MLFLOW_RUN_ID"):
            patch.delenv(name, raising=False)
        tracking._tracking.cache_clear()
        forget()
        yield patch
        forget()
        tracking._tracking.cache_clear()


@contextmanager
def empty_cache(patch: pytest.MonkeyPatch, folder: Path) -> Iterator[None]:
    """A cache folder without any vector or score, but with the unpacked models of the shared one."""
    models = cache_folder() / "models"
    models.mkdir(parents=True, exist_ok=True)
    folder.mkdir()
    (folder / "models").symlink_to(models)
    patch.setenv("MESSLATTE_CACHE", str(folder))
    stages.model_cache.cache_clear()
    yield
    stages.model_cache.cache_clear()


def exit_code(command: Callable[[list[str]], int], arguments: Sequence[str]) -> int:
    """Run a command in this process as `python -m` does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["command", *arguments])
        with pytest.raises(SystemExit) as stopped:
            run(command)
    assert isinstance(stopped.value.code, int)
    return stopped.value.code


def point_runs() -> list[Any]:
    """The points in the store of the current folder, the first one first."""
    import mlflow

    mlflow.set_tracking_uri(f"sqlite:///{Path.cwd() / 'mlflow.db'}")  # MLflow keeps a store by its address
    found = mlflow.MlflowClient().search_runs(["1"], "tags.kind = 'point'", order_by=["attributes.start_time"])
    return [plain(run) for run in found]


def plain(run: Any) -> Any:
    """A run of MLflow's client, params and metrics by their names without the prefixes of the UI."""
    data = SimpleNamespace(
        metrics=logged_names.plain(run.data.metrics), params=logged_names.plain(run.data.params), tags=run.data.tags
    )
    return SimpleNamespace(info=run.info, data=data, inputs=run.inputs)


def rows(run: Any) -> dict[str, dict[str, Any]]:
    """The rows of `questions.json` by question id."""
    import mlflow

    table = mlflow.artifacts.load_dict(f"{run.info.artifact_uri}/questions.json")
    found = [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]
    return {row["id"]: row for row in found}


def holders(text: str, folder: Path) -> list[Path]:
    """The files that hold the text: databases, artefacts, ledger, cache; weights are not looked at."""
    files = [file for file in folder.rglob("*") if file.is_file() and "models" not in file.parts]
    assert files
    return [file for file in files if text.encode() in file.read_bytes()]


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A fresh process in the current folder."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path, **environment},
        check=False,
    )
