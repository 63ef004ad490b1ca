"""The served model with a reranker and with answers from a chat endpoint: it gives what was measured."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scripted import Request, Response, says, scripted
from tiny import SMALL, empty_cache, holders, point, workplace

from pipelines import stages
from pipelines.packing import pack

pytestmark = pytest.mark.model
KEY = "sk-canary-4711"


def told(request: Request) -> Response:
    """An answer that depends on the passages: the prompt's own length, and a citation."""
    return says(f"Das sind {len(request.text)} Zeichen [1].")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with workplace(tmp_path) as patch, empty_cache(patch, tmp_path / "cache"):
        patch.setenv("OPENAI_API_KEY", KEY)
        yield tmp_path


def served(packed: Any, questions: list[Any]) -> list[Any]:
    from pipelines.served_model import Asked, RagPipeline

    model = RagPipeline()
    artifacts = {name: str(path) for name, path in packed.artifacts.items()}
    model.load_context(SimpleNamespace(artifacts=artifacts, model_config=packed.settings))
    return list(model.predict(None, [Asked(question=own.question, groups=list(own.groups)) for own in questions]))


def test_reranked_passages_and_a_language_models_answers_are_those_measured(folder: Path) -> None:
    with scripted(told) as server:
        model = (
            "generator=openai",
            "generator.model=scripted",
            f"generator.base_url={server.url}",
            "generator.retries=0",
        )
        cfg = point(
            *(*SMALL, *model, "decline.below=-1.0", "reranker=cross-encoder"),
            *("reranker.depth=5", "reranker.blend=1.0", "retrieval.top_k=2"),
        )
        questions, contexts, answers = stages.golden(cfg).questions, stages.contexts(cfg), stages.answers(cfg)
        fused = [own.fused[:2] for own in stages.candidates(cfg)]
        assert [[hit.chunk.id for hit in own] for own in contexts] != [[hit.chunk.id for hit in own] for own in fused]
        (folder / "packed").mkdir()
        packed = pack(cfg, folder / "packed")
        replies = served(packed, questions)
        assert [reply["answer"] for reply in replies] == [answer.text for answer in answers]
        for reply, hits in zip(replies, contexts, strict=True):
            assert [own["text"] for own in reply["passages"]] == [hit.chunk.text for hit in hits]
            assert (reply["status"], [own["number"] for own in reply["citations"]]) == ("answered", [1])

        server.script = lambda request: Response("{}", 500)
        (failed,) = served(packed, [SimpleNamespace(question="Und was ist neu?", groups=())])
        assert (failed["status"], failed["answer"], failed["citations"]) == ("error", "", [])
        assert failed["error"]
        assert len(failed["passages"]) == 2
        assert {request.authorization for request in server.requests} == {f"Bearer {KEY}"}
    assert holders(KEY, folder) == []
