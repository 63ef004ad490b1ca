from dataclasses import replace

from tiny import SMALL, point

from pipelines.comparable import MEASURED_ON
from pipelines.report import AXES, distinct_names, leaderboard, point_summary, sweep_name
from pipelines.tracking import Run


def run(name: str, correct: float, recall: float, status: str = "FINISHED", reused: bool = False) -> Run:
    metrics = {"correct": correct, "recall_at_top_k": recall, "latency_p50_ms": 5.0, "n_labels": 4.0}
    return Run(
        f"id-{name}", name, status, dict.fromkeys(AXES, "x"), metrics, dict.fromkeys(MEASURED_ON, "hash"), reused=reused
    )


def test_most_correct_first_then_recall_then_the_order_of_the_sweep() -> None:
    runs = [run("a", 0.5, 0.9), run("b", 0.6, 0.2), run("c", 0.5, 1.0), run("d", 0.5, 0.9, reused=True)]
    table = leaderboard(runs)
    assert list(table.point) == ["b", "c", "a", "d"]
    assert list(table.run) == ["id-b", "id-c", "id-a", "id-d"]
    assert list(table.reused) == [False, False, False, True]


def test_a_sweep_is_named_by_what_varies() -> None:
    varied = [point(*SMALL, f"retrieval.top_k={k}", f"reranker={r}") for k in (4, 8) for r in ("none", "cross-encoder")]
    assert sweep_name(varied) == "sweep · 4 points · retrieval.top_k, reranker"
    assert sweep_name([point()]) == "sweep · 1 points"
    assert sweep_name([point(f"embedding={e}") for e in ("e5-small", "minilm")]) == "sweep · 2 points · embedding"


def test_a_point_is_summed_up_with_its_id() -> None:
    summary = point_summary(run("structure-64/0", 0.5, 0.25))
    assert summary.startswith("structure-64/0\n")
    assert "correct            0.500" in summary
    assert summary.endswith("MLflow run id-structure-64/0")


def test_points_of_one_name_are_told_apart_by_what_differs() -> None:
    plain, alone = run("a", 0.5, 0.9), run("b", 0.5, 0.9)
    same = [replace(plain, params={"reranker.blend": blend, "index": "edge"}) for blend in ("0.2", "0.9")]
    assert distinct_names([*same, alone]) == ["a · reranker.blend 0.2", "a · reranker.blend 0.9", "b"]
