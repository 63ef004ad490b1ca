"""A store that cannot be used, and an experiment that is not there, are one line for every command that reads."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tiny import exit_code, workplace

from pipelines.compare import compare
from pipelines.judge_noise import judge_noise
from pipelines.promote import promote
from pipelines.review import review
from pipelines.tracking import Tracking

Command = Callable[[list[str]], int]
COMMANDS: dict[str, tuple[Command, list[str]]] = {
    "compare": (compare, []),
    "compare a run": (compare, ["0123"]),
    "promote": (promote, ["0123"]),
    "status": (promote, ["status"]),
    "rollback": (promote, ["rollback"]),
    "review": (review, ["agreement", "--run", "0123"]),
    "judge_noise": (judge_noise, ["--run", "0123"]),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Iterator[Path]:
    with workplace(tmp_path):
        yield tmp_path


@pytest.mark.parametrize("uri", ["foo://x", "sqlite:////proc/no/mlflow.db", "nosuch", "mysql://localhost/x"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_store_that_cannot_be_used(command: str, uri: str, capsys: pytest.CaptureFixture[str]) -> None:
    function, arguments = COMMANDS[command]
    assert exit_code(function, [*arguments, f"tracking.uri={uri}"]) == 2
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
    assert len(said) == 1
    assert said[0].startswith(f"error: tracking.uri={uri}: ")
    assert os.listdir() == []


@pytest.mark.parametrize("command", COMMANDS)
def test_reading_makes_no_experiment(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    store = Tracking("messlatte")
    function, arguments = COMMANDS[command]
    exit_code(function, [*arguments, "tracking.experiment=neu"])
    assert "Traceback" not in capsys.readouterr().err
    assert {own.name for own in store._client.search_experiments()} == {"Default", "messlatte"}
