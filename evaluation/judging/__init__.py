"""Judges that ask a language model. Importing this loads neither openai nor ragas."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evaluation.judging.chat_judge import ChatJudge
from evaluation.judging.endpoint import Endpoint
from evaluation.judging.ragas import RagasJudge

if TYPE_CHECKING:
    from rag.embedding.embedder import Embedder

__all__ = ["ChatJudge", "Endpoint", "RagasJudge", "chat_judge", "ragas_judge"]


def chat_judge(language: str, **endpoint: object) -> ChatJudge:
    """A ChatJudge as `conf/judge/llm.yaml` describes it, with the user's cache."""
    from rag.cache import Cache

    return ChatJudge(Endpoint(**endpoint), Cache(), language)  # type: ignore[arg-type]


def ragas_judge(language: str, metrics: Sequence[str], embedding: "Embedder", **endpoint: object) -> RagasJudge:
    """A RagasJudge as `conf/judge/ragas.yaml` describes it, with the user's cache."""
    from rag.cache import Cache

    return RagasJudge(Endpoint(**endpoint), Cache(), embedding, language, tuple(metrics))  # type: ignore[arg-type]
