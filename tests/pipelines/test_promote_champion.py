"""What a candidate is compared with, on a store whose runs are written here, without models."""

from collections.abc import Iterator
from pathlib import Path

import mlflow
import pytest
from tiny import workplace

from pipelines.promote import promote
from pipelines.registry import Registry
from pipelines.tracking import Tracking

N = 40


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Tracking]:
    with workplace(tmp_path):
        yield Tracking("messlatte")


def run(
    store: Tracking, golden: str, right: int, sweep: str | None = None, embedding: str = "e5", by: str = "j"
) -> str:
    rows = [
        {"id": f"q{n:02}", "label": "correct" if n < right else "declined", "error": "", "category": "c"}
        for n in range(N)
    ]
    rows = [{**row, "recall": None, "reciprocal_rank": None} for row in rows]
    tags = {"golden_hash": golden, "corpus_hash": "c", "judge": by, "fingerprint": f"{golden}{embedding}{right}"}
    with store.point("p", sweep, tags) as point:
        point.params({"embedding": embedding, "golden.path": golden})
        point.metrics({"coverage": 1.0, "judge_kappa": 0.8, "judge_noise": 0.0})
        point.table(rows, "questions.json")
    mlflow.MlflowClient().set_tag(point.id, "judge_validated", "true")
    return point.id


def crowned(run_id: str) -> None:
    client, registry = mlflow.MlflowClient(), Registry("rag-pipeline")
    client.create_registered_model("rag-pipeline")
    client.create_model_version("rag-pipeline", source=f"runs:/{run_id}/model", run_id=run_id)
    registry.crown(registry.versions()[0])


def test_the_champion_is_compared_on_the_questions_of_the_candidate(
    store: Tracking, capsys: pytest.CaptureFixture[str]
) -> None:
    crowned(run(store, golden="old", right=10))
    candidate = run(store, golden="new", right=21, embedding="minilm")
    assert promote([candidate]) == 1
    refused = "refused: the champion (version 1, None) was not measured with these questions on these documents"
    assert refused in capsys.readouterr().out
    run(store, golden="new", right=36)  # the champion's set-up again
    run(store, golden="new", right=1, embedding="bge")
    assert promote([candidate]) == 1
    # (21 - 36) / 40
    assert "0.525 against the champion's 0.900 is -0.375, not more than" in capsys.readouterr().out


def test_the_best_of_a_sweep_and_a_named_point_are_one_of_all_its_points(
    store: Tracking, capsys: pytest.CaptureFixture[str]
) -> None:
    crowned(run(store, golden="old", right=30))
    with store.sweep("s") as sweep:
        pass
    low, best = (run(store, "old", right, sweep) for right in (29, 31))
    for target, chosen, difference in ((sweep, best, "+0.025"), (low, low, "-0.025")):
        assert promote([target]) == 1
        said = capsys.readouterr().out
        assert f"({chosen}), one of 2" in said
        assert difference in said


def test_another_judge_is_named(store: Tracking, capsys: pytest.CaptureFixture[str]) -> None:
    crowned(run(store, golden="old", right=10))
    assert promote([run(store, golden="old", right=40, by="another")]) == 1
    assert "refused: judged by another, the champion by j" in capsys.readouterr().out


def test_whoever_tries_often_pays_for_it(store: Tracking, capsys: pytest.CaptureFixture[str]) -> None:
    """Single runs since the champion was made count as tries, as points of a sweep do."""
    run(store, "old", right=31, embedding="before")
    champion = run(store, "old", right=30)
    crowned(champion)
    tries = [run(store, "old", right=20 + n, embedding=f"model {n}") for n in range(12)]
    run(store, "new", right=39, embedding="elsewhere")
    run(store, "old", right=39, embedding="another judge", by="another")
    run(store, "old", right=30)  # the champion again
    assert promote([tries[-1]]) == 1
    assert "(one of 12, p = " in capsys.readouterr().out
    with store.sweep("s") as sweep:
        pass
    best = run(store, "old", 32, sweep, embedding="swept")
    run(store, "old", right=38, embedding="single")
    assert promote([sweep]) == 1
    said = capsys.readouterr().out
    assert f"({best}), one of 1" in said  # the choice is the sweep's, the correction counts all
    assert "0.800 against the champion's 0.750 is +0.050" in said
    assert "(one of 14, p = " in said
