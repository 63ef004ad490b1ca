"""24 points on two Ray nodes, with a worker killed, then a whole node; then the same command again."""

import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest
from cluster import Cluster, cluster

from pipelines.config import ROOT

pytestmark = [pytest.mark.scale, pytest.mark.model]

# 2 * 3 * 2 * 2 = 24 points; lexical.stemming changes the fingerprint of dense points too.
DATA = ROOT / "tests" / "data"
POINTS = (
    *(f"corpus.path={DATA / 'tiny'}", f"golden.path={DATA / 'tiny.jsonl'}"),
    *("chunking.size=32,64", "chunking.overlap=0", "retrieval=hybrid,dense,bm25", "lexical.stemming=true,false"),
    *("retrieval.top_k=1,2", "embedding=minilm", "reranker=none", "measures.latency_questions=1"),
    "hydra/launcher=ray",
)
N = 24
SECONDS = 600
Found = TypeVar("Found")


@dataclass
class Swept:
    cluster: Cluster
    victim: Any
    first: list[Any]
    second: list[Any]
    outputs: list[str]
    codes: list[int]
    written: list[str]


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Swept]:
    place = Path(tempfile.mkdtemp(prefix="messlatte-"))
    place.chmod(0o755)  # PostgreSQL runs as another user, who may not enter pytest's own folders
    with cluster(place / "cluster") as own:
        count_writes(own)
        folder = tmp_path_factory.mktemp("work")
        with own.command(POINTS, folder) as command:
            wanted = "tags.kind = 'point' and attributes.status = 'RUNNING'"
            victim = until(command, lambda: ended(own) >= 2 and next(iter(own.runs(wanted)), None))
            os.kill(int(victim.data.tags["worker"].rpartition(":")[2]), signal.SIGKILL)
            until(command, lambda: ended(own) >= N // 2)
            own.kill_second_node()
            outputs = [command.communicate(timeout=SECONDS)[0]]
        first = own.runs("tags.kind = 'point'")
        with own.command(POINTS, folder) as again:
            outputs.append(again.communicate(timeout=SECONDS)[0])
        known = {run.info.run_id for run in first}
        second = [run for run in own.runs("tags.kind = 'point'") if run.info.run_id not in known]
        yield Swept(own, victim, first, second, outputs, [command.returncode, again.returncode], written(own))


def until(command: "subprocess.Popen[str]", look: Callable[[], Found]) -> Found:
    began = time.monotonic()
    while not (found := look()):
        assert command.poll() is None, command.stdout and command.stdout.read()
        assert time.monotonic() - began < SECONDS
        time.sleep(0.2)
    return found


def ended(own: Cluster) -> int:
    return len(own.runs("tags.kind = 'point' and attributes.status != 'RUNNING'"))


def count_writes(own: Cluster) -> None:
    """Note every attempt to store a value, also one for a key that is there already."""
    from sqlalchemy import create_engine, text

    from rag.shared_cache import SharedCache

    address = own.environment["MESSLATTE_CACHE_STORE"]
    SharedCache(address)
    with create_engine(address).begin() as connection:
        connection.execute(text("create table written (key text)"))
        connection.execute(
            text(
                "create function note() returns trigger language plpgsql as "
                "$$ begin insert into written values (new.key); return new; end $$"
            )
        )
        connection.execute(
            text("create trigger note before insert on messlatte_cache for each row execute function note()")
        )


def written(own: Cluster) -> list[str]:
    from sqlalchemy import create_engine, text

    with create_engine(own.environment["MESSLATTE_CACHE_STORE"]).connect() as connection:
        return list(connection.execute(text("select key from written")).scalars())


def test_every_point_has_one_run_that_ended(swept: Swept) -> None:
    assert len(swept.first) == N, swept.outputs[0]
    assert sorted(int(run.data.tags["job"]) for run in swept.first) == list(range(N))
    assert len({run.data.tags["fingerprint"] for run in swept.first}) == N
    assert {run.info.status for run in swept.first} == {"FINISHED", "FAILED"}
    (parent,) = {run.data.tags["mlflow.parentRunId"] for run in swept.first}
    assert swept.cluster.client.get_run(parent).info.status == "FINISHED"
    assert len({run.data.tags["worker"].rpartition(":")[2] for run in swept.first}) >= 2


def test_the_points_of_dead_workers_failed_and_say_why(swept: Swept) -> None:
    failed = {run.info.run_id: run.data.tags.get("error", "") for run in swept.first if run.info.status == "FAILED"}
    assert failed[swept.victim.info.run_id].startswith("its worker died before it was done")
    assert all(error.startswith("its worker died before it was done") for error in failed.values())
    assert 1 <= len(failed) <= 2  # the worker's and the node's; a node that dies between two points loses none
    assert swept.codes[0] == 1
    assert len(re.findall("(?m)^FAILED .*its worker died", swept.outputs[0])) == len(failed)


def test_the_same_command_completes_the_rest(swept: Swept) -> None:
    assert swept.codes[1] == 0, swept.outputs[1]
    failed = {run.data.tags["fingerprint"] for run in swept.first if run.info.status == "FAILED"}
    assert {run.data.tags["fingerprint"] for run in swept.second} == failed
    assert len(swept.second) == len(failed)
    assert {run.info.status for run in swept.second} == {"FINISHED"}
    assert f"{N} points in the sweep's run" in swept.outputs[1]
    assert f"{N - len(failed)} of them reused" in swept.outputs[1]


def test_artefacts_came_over_http(swept: Swept) -> None:
    for run in [*swept.first, *swept.second]:
        assert run.info.artifact_uri.startswith("mlflow-artifacts:/")
        held = {artifact.path for artifact in swept.cluster.client.list_artifacts(run.info.run_id)}
        if run.info.status == "FINISHED":
            assert held >= {"config.yaml", "questions.json", "evidence_lost.svg"}


def test_nothing_was_computed_twice_but_by_the_dead(swept: Swept) -> None:
    # What a worker had computed before it died is in the cache, so even its point's second run adds nothing twice.
    assert len(swept.written) > 20
    twice = {key for key in swept.written if swept.written.count(key) > 1}
    assert not twice
