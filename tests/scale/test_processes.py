"""Processes of one machine by joblib, of which one is killed; and the same vectors from a Ray cluster begun for it."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from pipelines.config import ROOT

pytestmark = [pytest.mark.scale, pytest.mark.model]

DATA = ROOT / "tests" / "data"
POINTS = (
    *(f"corpus.path={DATA / 'tiny'}", f"golden.path={DATA / 'tiny.jsonl'}", "chunking.size=64", "chunking.overlap=0"),
    *("embedding=minilm", "retrieval=hybrid,dense,bm25", "retrieval.top_k=1,2", "reranker=none"),
    *("hydra/launcher=joblib", "hydra.launcher.n_jobs=2"),
)


def workers(store: Path) -> list[int]:
    """The processes that compute a point, read past MLflow, whose client would make the tables as well."""
    query = "select value from tags join runs using (run_uuid) where key = 'worker' and status = 'RUNNING'"
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as tables:
            return [int(worker.rpartition(":")[2]) for (worker,) in tables.execute(query)]
    except sqlite3.OperationalError:  # not there yet
        return []


def test_a_killed_process_costs_what_ran_not_what_waited(tmp_path: Path) -> None:
    from mlflow import MlflowClient

    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MLFLOW_", "RAY_"))}
    with subprocess.Popen(
        [sys.executable, "-m", "pipelines.sweep", *POINTS],
        cwd=tmp_path,
        env={**environment, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    ) as command:
        while not (running := workers(tmp_path / "mlflow.db")):
            assert command.poll() is None
            time.sleep(0.5)
        os.kill(running[0], signal.SIGKILL)
        output = command.communicate(timeout=600)[0]

    client = MlflowClient(f"sqlite:///{tmp_path}/mlflow.db")
    experiment = client.get_experiment_by_name("messlatte").experiment_id
    runs = client.search_runs([experiment], "tags.kind = 'point'")
    assert sorted(int(run.data.tags["job"]) for run in runs) == list(range(6)), output
    failed = [run for run in runs if run.info.status == "FAILED"]
    assert {run.info.status for run in runs} == {"FINISHED", "FAILED"}
    # joblib ends its other process with the killed one, so that at most two points are lost.
    assert 1 <= len(failed) <= 2
    assert all("its worker was lost (TerminatedWorkerError)" in run.data.tags["error"] for run in failed)
    assert command.returncode == 1
    assert len((tmp_path / "ledger.csv").read_text(encoding="utf-8").splitlines()) == 1 + 6 - len(failed)


def test_a_ray_cluster_gives_the_vectors_that_this_process_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = pytest.importorskip("ray")
    from functools import partial

    from rag.cache import cache_folder
    from rag.embedding import CachedEmbedder, SentenceTransformerEmbedder
    from rag.embedding.on_ray import embed_passages_on_ray
    from rag.shared_cache import open_cache

    models = cache_folder() / "models"
    (tmp_path / "models").symlink_to(models)
    monkeypatch.setenv("MESSLATTE_CACHE", str(tmp_path))
    for name in ("RAY_ADDRESS", "MESSLATTE_CACHE_STORE"):
        monkeypatch.delenv(name, raising=False)
    texts = ["Prüfung alle fünf Jahre.", "Leitern", "Urlaub: 30 Tage", "Leitern"]
    make = partial(SentenceTransformerEmbedder, "minilm")
    cached = CachedEmbedder(make(), open_cache())
    done = list[int]()
    try:
        embed_passages_on_ray(cached, make, texts, done.append)
    finally:
        ray.shutdown()
    assert len(cached.cache.get_many(cached.keys("passage", texts))) == 3
    assert sum(done) == 4
    np.testing.assert_allclose(cached.embed_passages(texts), make().embed_passages(texts), atol=1e-5)
