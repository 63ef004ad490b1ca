from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import pytest
from tiny import SMALL, point, workplace

from pipelines import latency, stages


@pytest.mark.model
@pytest.mark.parametrize(("retrieval", "asks_a_model"), [("bm25", False), ("dense", True), ("hybrid", True)])
def test_bm25_alone_is_timed_without_the_embedding_that_it_does_not_need(
    tmp_path: Path, retrieval: str, asks_a_model: bool
) -> None:
    cfg = point(*SMALL, f"retrieval={retrieval}", "reranker=none", "measures.latency_questions=2")

    def embed(questions: list[str]) -> NoReturn:
        raise AssertionError(questions)

    with workplace(tmp_path) as patch:
        stages.index(cfg), stages.lexical_index(cfg)
        patch.setattr(stages, "embedder", lambda cfg: SimpleNamespace(embed_queries=embed))
        if asks_a_model:
            with pytest.raises(AssertionError):
                latency._measure(cfg)
        else:
            assert len(latency._measure(cfg)) == 2


@pytest.mark.model
def test_a_worker_with_fewer_cores_does_not_speak_for_the_machine(tmp_path: Path) -> None:
    cfg = point(*SMALL, "retrieval=bm25", "reranker=none", "measures.latency_questions=1")
    with workplace(tmp_path) as patch:
        measured = []
        patch.setattr(latency, "_measure", lambda cfg: measured.append(1) or [float(len(measured))])
        for cores, expected in ((1, 1000.0), (1, 1000.0), (2, 2000.0)):
            patch.setattr(latency, "available_cores", lambda cores=cores: cores)
            assert latency.latencies(cfg)["latency_p50_ms"] == expected


@pytest.mark.model
def test_retrieval_is_timed_once_for_all_rerankers_and_fusions(tmp_path: Path) -> None:
    own = [*SMALL, "retrieval=hybrid", "measures.latency_questions=2"]
    with workplace(tmp_path) as patch:
        timed: list[str] = []
        retrieve = latency._retrieve
        patch.setattr(
            latency, "_retrieve", lambda cfg, by_meaning: timed.append("retrieval") or retrieve(cfg, by_meaning)
        )
        plain = latency.latencies(point(*own, "reranker=none"))
        assert latency.latencies(point(*own, "reranker=none", "retrieval.rrf_k=30")) == plain
        deeper = [latency._measure(point(*own, "reranker=cross-encoder", f"reranker.depth={n}")) for n in (1, 2)]
        assert timed == ["retrieval"]
        assert [len(seconds) for seconds in deeper] == [2, 2]
