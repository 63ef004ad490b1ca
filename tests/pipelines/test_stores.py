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


NO_STORES = ["foo://x", "sqlite:////proc/no/mlflow.db", "nosuch", "mysql://localhost/x"]


@pytest.mark.parametrize("uri", NO_STORES)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_store_that_cannot_be_used(command: str, uri: str, capsys: pytest.CaptureFixture[str]) -> None:
    function, arguments = COMMANDS[command]
    assert exit_code(function, [*arguments, f"tracking.uri={uri}"]) == 2
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
    assert len(said) == 1
    assert said[0].startswith(f"error: tracking.uri={uri}: ")
    assert os.listdir() == []


@pytest.mark.parametrize("command", ["compare", "promote"])
def test_reading_makes_no_store(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    function, arguments = COMMANDS[command]
    assert exit_code(function, [*arguments, f"tracking.uri=sqlite:///{folder}/vertippt/mlflow.db"]) == 2
    assert "vertippt/mlflow.db: no such file" in capsys.readouterr().err
    assert not (folder / "vertippt").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_reading_makes_no_experiment(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    store = Tracking("messlatte")
    function, arguments = COMMANDS[command]
    exit_code(function, [*arguments, "tracking.experiment=neu"])
    assert "Traceback" not in capsys.readouterr().err
    assert {own.name for own in store._client.search_experiments()} == {"Default", "messlatte"}


def test_an_address_that_is_none(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://[::1")
    assert exit_code(compare, []) == 2
    assert capsys.readouterr().err.startswith("error: tracking.uri=http://[::1: ")


def test_what_is_missing_is_named_not_the_store(capsys: pytest.CaptureFixture[str]) -> None:
    Tracking("messlatte")
    assert exit_code(compare, ["tracking.experiment=neu"]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("error: experiment 'neu': not in ")
