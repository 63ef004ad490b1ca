from pathlib import Path

import pytest
from tiny import SMALL, empty_cache, exit_code, workplace

from pipelines import stages
from pipelines.config import points
from pipelines.evaluate import evaluate
from pipelines.work import work

AXES = (*SMALL, "reranker.depth=2", "reranker=none,cross-encoder", "retrieval.top_k=1,2")


@pytest.mark.model
def test_what_points_share_is_counted_once_and_what_is_cached_is_known(tmp_path: Path) -> None:
    """5 chunks and 5 questions; passages and statements that are the same text count once, so 10 texts at least."""
    with workplace(tmp_path) as patch, empty_cache(patch, tmp_path / "cache"):
        grid = points("sweep", AXES)
        before = _lines(work(grid))
        assert [before[name][0] for name in ("chunkings", "indexes", "candidate lists")] == ["1", "1", "1"]
        assert [before[name][0] for name in ("rankings", "answers")] == ["2", "4"]
        texts, cached = int(before["texts to embed"][0]), int(before["texts to embed"][1])
        assert (texts >= 10, cached) == (True, 0)
        assert before["pairs to rerank"][:2] == ["0", "0"]  # what is paired is not known yet:
        assert "up to 10 more" in work(grid)  # 5 questions, 2 candidates each

        assert exit_code(evaluate, [*SMALL, "reranker=cross-encoder", "reranker.depth=2", "retrieval.top_k=2"]) == 0
        after = _lines(work(grid))
        assert after["texts to embed"][0] == str(texts)
        assert int(after["texts to embed"][1]) >= 10
        asked = [question.question for question in stages.golden(grid[-1]).questions]  # two of them are alike
        found = zip(asked, stages.candidates(grid[-1]), strict=True)
        pairs = {(question, hit.chunk.ranked_text) for question, own in found for hit in own.fused[:2]}
        assert after["pairs to rerank"][:2] == [str(len(pairs))] * 2
        assert "more" not in after["pairs to rerank"]


def _lines(text: str) -> dict[str, list[str]]:
    """The words after each stage's name: how many, and how many of them are cached."""
    return {line[:16].strip(): line[16:].split() for line in text.splitlines()}
