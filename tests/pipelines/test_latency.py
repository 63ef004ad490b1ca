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
