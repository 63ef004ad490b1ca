"""Sweeps that were killed: their own store, no model."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny import workplace

from pipelines.tracking import Tracking
from pipelines.watch import DEAD, SILENCE, close_dead, watched


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Tracking]:
    with workplace(tmp_path):
        yield Tracking("messlatte")


def left_behind(store: Tracking, alive_at: float | None) -> tuple[str, str]:
    """A sweep and a point that nobody has ended, as after kill -9."""
    import mlflow

    client = mlflow.MlflowClient()
    tags = {} if alive_at is None else {"alive_at": str(alive_at)}
    sweep = client.create_run(store.experiment_id, tags={"kind": "sweep", **tags}).info.run_id
    point = client.create_run(store.experiment_id, tags={"kind": "point", "mlflow.parentRunId": sweep}).info.run_id
    return sweep, point


def test_a_silent_sweep_is_closed_with_its_points(store: Tracking) -> None:
    runs = left_behind(store, time.time() - SILENCE - 5)
    close_dead(store)
    for run in map(store.run, runs):
        assert (run.status, run.tags["error"]) == ("FAILED", DEAD)


def test_a_sweep_that_lives_elsewhere_is_left_alone(store: Tracking) -> None:
    runs = [*left_behind(store, time.time() - 5), *left_behind(store, None)]
    close_dead(store)
    assert {store.run(run).status for run in runs} == {"RUNNING"}


def test_a_sweep_shows_at_once_that_it_lives(store: Tracking) -> None:
    looks = list[float]()
    before = time.time()
    with store.sweep("sweep") as sweep, watched(store, sweep, lambda: looks.append(time.time())):
        while not looks:
            time.sleep(0.01)
        assert float(store.run(sweep).tags["alive_at"]) >= before - 1
    assert store.run(sweep).status == "FINISHED"
