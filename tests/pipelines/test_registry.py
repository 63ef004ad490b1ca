"""Aliases and versions on a real store; the versions hold no model."""

from collections.abc import Iterator
from pathlib import Path

import mlflow
import pytest
from tiny import workplace

from pipelines.registry import Registry, Version
from pipelines.tracking import Tracking
from rag.errors import InputError


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with workplace(tmp_path):
        store = Tracking("e")
        with store.sweep("s") as run:
            pass
        client = mlflow.MlflowClient()
        client.create_registered_model("m")
        for _ in range(3):
            client.create_model_version("m", source=f"runs:/{run}/model", run_id=run)
        yield Registry("m")


def aliases(registry: Registry) -> tuple[int | None, int | None]:
    champion, previous = registry.champion(), registry.previous()
    return champion and champion.number, previous and previous.number


def crowned(registry: Registry) -> list[Version]:
    versions = registry.versions()[::-1]
    for version in versions:
        registry.crown(version)
    return versions


def test_the_new_champion_sends_the_old_one_to_previous(registry: Registry) -> None:
    one, two, _ = registry.versions()[::-1]
    assert aliases(registry) == (None, None)
    registry.crown(one)
    assert aliases(registry) == (1, None)
    registry.crown(two)
    assert aliases(registry) == (2, 1)


def test_rollback_goes_back_step_by_step(registry: Registry) -> None:
    crowned(registry)
    assert aliases(registry) == (3, 2)
    assert [own.number for own in registry.rollback("me")] == [3, 2]
    assert aliases(registry) == (2, 1)
    registry.rollback("me")
    assert aliases(registry) == (1, None)
    with pytest.raises(InputError, match="m: there is no previous version to go back to"):
        registry.rollback("me")
    three, two, one = registry.versions()
    assert three.tags["validation_status"] == two.tags["validation_status"] == "rolled back"
    assert three.tags["rolled_back"].endswith(" by me")
    assert "rolled_back" not in one.tags


def test_a_version_promoted_after_a_rollback_falls_back_to_the_one_that_it_replaced(registry: Registry) -> None:
    one, two, three = registry.versions()[::-1]
    registry.crown(one)
    registry.crown(two)
    registry.rollback("me")
    registry.crown(three)
    assert aliases(registry) == (3, 1)
    registry.rollback("me")
    assert aliases(registry) == (1, None)


def test_a_name_that_is_not_registered_has_nothing(registry: Registry) -> None:
    other = Registry("another")
    assert (other.champion(), other.previous(), other.versions()) == (None, None, [])
