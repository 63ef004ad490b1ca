"""A sweep starts from plain BM25 and plain hybrid retrieval, and is compared with the first."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from omegaconf import DictConfig
from tiny import SMALL, exit_code, python, workplace

from pipelines import names
from pipelines.baselines import baselines
from pipelines.compare import compare
from pipelines.config import points
from pipelines.sweep import sweep
from rag.errors import InputError


def found(*overrides: str) -> tuple[list[DictConfig], list[DictConfig]]:
    """The baselines of a sweep, and its grid."""
    grid = points("sweep", overrides)
    return baselines(grid), grid


@pytest.mark.parametrize(
    "axes",
    [
        (),
        ("retrieval.dense_weight=0.5,2", "reranker=cross-encoder,none"),
        ("retrieval=dense", "retrieval.bm25_weight=0", "reranker=mmarco", "reranker.depth=5,10"),
        ("experiment=retrieval", "lexical=plain,german"),
        ("+generator.parameters.seed=1,2", "generator=openai", "generator.model=m"),
    ],
)
def test_they_are_plain_and_stand_at_the_first_values(axes: tuple[str, ...]) -> None:
    plain, grid = found(*axes)
    assert [(own.retrieval.dense_weight, own.retrieval.bm25_weight) for own in plain] == [(0, 1), (1, 1)]
    for own in plain:
        assert own.reranker._target_ is None
        assert (own.retrieval.top_k, own.retrieval.depth) == (grid[0].retrieval.top_k, grid[0].retrieval.depth)
        for section in ("chunking", "embedding", "lexical", "generator", "judge", "decline"):
            assert own[section] == grid[0][section]


def test_the_default_sweep_has_one_point_more_than_its_grid() -> None:
    (bm25, hybrid), grid = found()
    assert names.point(bm25) == "structure-256/0 · e5-small · bm25 · top 4 · no reranker"
    assert bm25 not in grid
    assert hybrid is grid[0]


def test_those_that_the_grid_holds_are_its_own() -> None:
    plain, grid = found("retrieval=hybrid,bm25", "reranker=cross-encoder,none", "chunking.size=128,256")
    assert [names.point(own) for own in plain] == [
        f"structure-128/0 · e5-small · {retrieval} · top 4 · no reranker" for retrieval in ("bm25", "hybrid")
    ]
    assert all(any(own is point for point in grid) for own in plain)


def test_others_can_be_named_and_none() -> None:
    assert found("baselines=[]")[0] == []
    assert [names.part(own, "retrieval") for own in found("baselines=[dense,bm25,dense]")[0]] == ["dense", "bm25"]


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("baselines=[bm52]", "'bm52' is none of bm25, dense, hybrid"),
        ("baselines=[3]", "3 is none of bm25"),
        ("baselines=[[bm25]]", "is none of bm25"),
        ("baselines=bm25", "baselines must be a list"),
        ("baselines=bm25,hybrid", "baselines must be a list"),
        ("baselines=[bm25],[dense]", "one list for the whole sweep"),
    ],
)
def test_what_they_cannot_be_is_one_line(override: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        found(override)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


AXES = (*SMALL, "reranker=none", "retrieval.top_k=2,8")
BM25, *GRID = (
    f"structure-64/0 · minilm · {point} · no reranker" for point in ("bm25 · top 2", "hybrid · top 2", "hybrid · top 8")
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("baselines")
    with workplace(folder):
        assert exit_code(sweep, AXES) == 0
        from mlflow import MlflowClient

        yield MlflowClient(f"sqlite:///{folder / 'mlflow.db'}")


def runs(client: Any, kind: str) -> list[Any]:
    return list(client.search_runs(["1"], f"tags.kind = '{kind}'", order_by=["attributes.start_time"]))


def table(client: Any, run: str, name: str) -> list[dict[str, Any]]:
    stored = json.loads(Path(client.download_artifacts(run, name)).read_text(encoding="utf-8"))
    return [dict(zip(stored["columns"], row, strict=True)) for row in stored["data"]]


@pytest.mark.model
def test_bm25_is_the_first_point_of_a_sweep_and_like_the_others(client: Any) -> None:
    (parent,) = runs(client, "sweep")
    assert parent.info.run_name == "sweep · 3 points · retrieval.top_k"
    own = runs(client, "point")
    assert [run.info.run_name for run in own] == [BM25, *GRID]
    assert {run.data.tags["mlflow.parentRunId"] for run in own} == {parent.info.run_id}
    assert {run.info.status for run in own} == {"FINISHED"}
    board = table(client, parent.info.run_id, "leaderboard.json")
    assert sorted(row["point"] for row in board) == sorted([BM25, *GRID])
    assert "baselines" not in own[0].data.params


@pytest.mark.model
@pytest.mark.parametrize("named", [True, False])
def test_compare_holds_the_others_against_it_and_tells_effects_on_the_axes_alone(client: Any, named: bool) -> None:
    (parent, *_) = runs(client, "sweep")
    assert exit_code(compare, [parent.info.run_id] if named else []) == 0
    run = parent.info.run_id if named else runs(client, "comparison")[-1].info.run_id
    board = table(client, run, "compare/leaderboard.json")
    assert [row["point"] for row in board if row["baseline"]] == [BM25]
    effects = {
        row["axis"]: (row["reference"], row["level"], row["pairs"])
        for row in table(client, run, "compare/effects.json")
    }
    assert effects == {"retrieval.top_k": ("2", "8", 1)}  # not retrieval: beside the axes there is one point of bm25


@pytest.mark.model
def test_a_sweep_that_reuses_it_last_still_compares_with_it(client: Any) -> None:
    """Of reused points the earliest comes first; here that is a point of the grid."""
    axes = (*SMALL, "reranker=none", "retrieval.top_k=1", "baselines=[]")
    assert exit_code(sweep, axes) == 0
    assert exit_code(sweep, [*axes[:-1], "baselines=[bm25]"]) == 0
    assert exit_code(sweep, axes[:-1]) == 0
    parent = runs(client, "sweep")[-1].info.run_id
    assert exit_code(compare, [parent]) == 0
    board = table(client, parent, "compare/leaderboard.json")
    assert {row["point"].split(" · ")[2]: row["baseline"] for row in board} == {"bm25": True, "hybrid": False}


@pytest.mark.model
def test_a_baseline_on_the_axes_of_another_sweep_counts_there(client: Any) -> None:
    first, *_ = runs(client, "sweep")
    assert exit_code(sweep, (*SMALL, "reranker=none", "retrieval.top_k=2", "retrieval=bm25,hybrid")) == 0
    parent = runs(client, "sweep")[-1].info.run_id
    assert exit_code(compare, [first.info.run_id, parent]) == 0
    run = runs(client, "comparison")[-1].info.run_id
    effects = {row["axis"] for row in table(client, run, "compare/effects.json")}
    assert effects == {"retrieval", "retrieval.top_k"}


@pytest.mark.model
def test_a_dry_run_counts_it(tmp_path: Path) -> None:
    with workplace(tmp_path):
        ended = python("-m", "pipelines.sweep", *AXES, "dry_run=true")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[1:4] == [BM25, *GRID]
