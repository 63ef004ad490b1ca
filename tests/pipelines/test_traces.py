"""Traces of a point's questions, as the store holds them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mlflow
import pytest
from tiny import MATERIAL, exit_code, point_runs, rows, workplace

from pipelines.evaluate import evaluate
from pipelines.traced import check_traces
from rag.errors import InputError

pytestmark = pytest.mark.model

OWN = (*MATERIAL, "chunking.size=64", "chunking.overlap=0", "embedding=minilm", "measures.latency_questions=1")


def traces(run: Any) -> dict[str, Any]:
    found = mlflow.search_traces(locations=["1"], run_id=run.info.run_id, return_type="list")
    return {trace.info.tags["question"]: trace for trace in found}


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, dict[str, Any]]]:
    with workplace(tmp_path_factory.mktemp("traces")):
        own = [*OWN, "reranker=cross-encoder", "reranker.depth=3", "retrieval.top_k=2", "tracking.traces=all"]
        assert exit_code(evaluate, own) == 0
        (run,) = point_runs()
        yield run, traces(run)


def test_every_question_has_a_trace_with_the_label_as_the_judges_assessment(
    evaluated: tuple[Any, dict[str, Any]],
) -> None:
    run, found = evaluated
    logged = rows(run)
    assert set(found) == {"t1", "t2", "t3", "t4", "t5"}
    for own, trace in found.items():
        (said,) = trace.info.assessments
        assert (said.name, said.feedback.value) == ("label", logged[own]["label"])
        assert (said.source.source_type, said.source.source_id) == ("CODE", run.data.tags["judge"])
        assert trace.info.tags.get("cause", "") == logged[own]["cause"]
        assert trace.info.trace_metadata["mlflow.sourceRun"] == run.info.run_id


def test_the_spans_hold_what_the_stages_did(evaluated: tuple[Any, dict[str, Any]]) -> None:
    run, found = evaluated
    logged = rows(run)
    for own, trace in found.items():
        spans = {span.name: span for span in trace.data.spans}
        assert set(spans) == {own, "retrieve", "dense", "bm25", "rerank", "answer", "judge"}
        inside = {name for name, span in spans.items() if span.parent_id == spans[own].span_id}
        assert inside == {"retrieve", "rerank", "answer", "judge"}
        assert spans["dense"].parent_id == spans["bm25"].parent_id == spans["retrieve"].span_id
        reranked = [document["id"] for document in spans["rerank"].outputs]
        assert spans["answer"].inputs["passages"] == reranked[:2] == logged[own]["retrieved"]
        fused = [document["id"] for document in spans["retrieve"].outputs]
        assert spans["rerank"].inputs["passages"] == fused[:3]  # reranker.depth
        for document in spans["rerank"].outputs:
            assert document["metadata"]["rank_before"] == fused.index(document["id"]) + 1
        assert spans["judge"].inputs["expected_answer"] == logged[own]["expected_answer"]
        assert spans["answer"].outputs["answer"] == logged[own]["answer"]


def test_evidence_is_marked_in_every_list(evaluated: tuple[Any, dict[str, Any]]) -> None:
    _, found = evaluated
    for own, trace in found.items():
        for span in trace.data.spans:
            if span.name in ("dense", "retrieve", "rerank"):  # these rank all readable passages
                marked = {document["id"] for document in span.outputs if document["metadata"]["evidence"]}
                held = set(trace.data.spans[0].inputs["references"])
                assert len(marked) == len(held) == (own != "t5"), (own, span.name)
                assert {name.partition(":")[0] for name in marked} == {name.partition(":")[0] for name in held}


def test_spans_follow_one_another_and_claim_no_duration(evaluated: tuple[Any, dict[str, Any]]) -> None:
    _, found = evaluated
    for trace in found.values():
        spans = sorted(trace.data.spans, key=lambda span: span.start_time_ns)
        assert [span.name for span in spans][1:] == ["retrieve", "dense", "bm25", "rerank", "answer", "judge"]
        assert all(span.end_time_ns - span.start_time_ns < 1000 for span in spans)


def test_failures_are_the_default_of_an_evaluation(tmp_path: Path) -> None:
    with workplace(tmp_path):
        assert exit_code(evaluate, [*OWN, "reranker=none", "retrieval.top_k=2"]) == 0
        (run,) = point_runs()
        wrong = {own for own, row in rows(run).items() if row["label"] != "correct"}
        assert 0 < len(wrong) < 5
        assert set(traces(run)) == wrong
        assert "rerank" not in {span.name for trace in traces(run).values() for span in trace.data.spans}


@pytest.mark.parametrize("level", ["some", "", "ALL", "None"])
def test_another_level_is_one_line(level: str) -> None:
    with pytest.raises(InputError, match=f"tracking.traces={level}: must be one of none, failures, all"):
        check_traces(level)
