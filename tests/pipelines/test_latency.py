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
