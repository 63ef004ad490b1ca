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
