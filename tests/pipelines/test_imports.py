import os
import subprocess
import sys
from pathlib import Path

from pipelines.config import ROOT


def test_imports_run_downwards() -> None:
    """pipelines -> evaluation -> rag, as pyproject.toml says."""
    tool = Path(sys.executable).with_name("lint-imports")
    ended = subprocess.run([tool, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "1 kept, 0 broken" in ended.stdout


def test_nobody_is_told_of_its_use() -> None:
    """MLflow sends a record of each call to its makers, unless one of many variables forbids it."""
    bare = {"PATH": os.environ["PATH"]}
    said = "from mlflow.telemetry.utils import is_telemetry_disabled as quiet; print(quiet())"
    for first, expected in (("", "False"), ("import pipelines.tracking; ", "True")):
        ended = subprocess.run([sys.executable, "-c", first + said], cwd=ROOT, capture_output=True, text=True, env=bare)
        assert ended.stdout.strip() == expected, ended.stderr
