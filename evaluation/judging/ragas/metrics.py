"""The metrics of ragas with prompts in the wanted language, and without its ways of hiding a failure.

Importing this loads ragas, which takes seconds.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import instructor
import numpy as np
from ragas.embeddings.base import BaseRagasEmbedding
from ragas.llms import llm_factory
from ragas.metrics.collections import (
    AnswerCorrectness,
    AnswerRelevancy,
    ContextPrecision,
    ContextRecall,
    ContextRelevance,
    Faithfulness,
)
from ragas.metrics.collections.context_relevance.util import ContextRelevanceInput, ContextRelevanceOutput
from ragas.metrics.collections.faithfulness.util import NLIStatementOutput

from evaluation.judging.ragas.german import translate
from evaluation.judging.ragas.strict import StrictModel

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from rag.chat import Endpoint


def build(
    names: Sequence[str],
    client: "AsyncOpenAI",
    endpoint: "Endpoint",
    embed: Callable[[Sequence[str]], np.ndarray],
    language: str,
) -> dict[str, Any]:
    """Metrics by name, asking with the model and parameters of `endpoint`. `embed` gives a row for each text."""
    parameters: Any = endpoint.parameters
    # A reply that does not fit is a failure, not asked for again in English (max_retries counts attempts).
    inner = llm_factory(endpoint.model, client=client, max_retries=1, **parameters)
    # llm_factory asks for JSON by an English system message; with a schema the server holds the model to it.
    inner.client = instructor.from_openai(client, mode=instructor.Mode.JSON_SCHEMA)  # type: ignore[attr-defined]
    llm, embeddings = StrictModel(inner), Embeddings(embed)
    made = {
        "faithfulness": lambda: CompleteFaithfulness(llm),
        # At temperature 0 the three questions that ragas asks for by default would be one and the same.
        "answer_relevancy": lambda: AnswerRelevancy(llm, embeddings, strictness=1),
        "context_precision": lambda: ContextPrecision(llm),
        "context_recall": lambda: ContextRecall(llm),
        "answer_correctness": lambda: AnswerCorrectness(llm, embeddings),
        "context_relevance": lambda: BothJudgesRelevance(llm),
    }
    metrics = {name: made[name]() for name in names}
    if language == "de":
        for metric in metrics.values():
            translate(metric)
    return metrics


class CompleteFaithfulness(Faithfulness):
    """Faithfulness that does not pass over statements for which the model gave no verdict."""

    async def _create_verdicts(self, statements: list[str], context: str) -> NLIStatementOutput:
        found = await super()._create_verdicts(statements, context)
        if len(found.statements) != len(statements):
            raise ValueError(f"{len(statements)} statements, but {len(found.statements)} verdicts")
        return found


class BothJudgesRelevance(ContextRelevance):
    """Context relevance that fails with the first failure; the original asks up to five times, then drops a judge."""

    async def _get_judge_rating(self, prompt_obj: Any, user_input: str, context: str) -> float:
        prompt = prompt_obj.to_string(ContextRelevanceInput(user_input=user_input, context=context))
        reply: ContextRelevanceOutput = await self.llm.agenerate(prompt, ContextRelevanceOutput)  # type: ignore[assignment]
        return float(reply.rating)


class Embeddings(BaseRagasEmbedding):
    """Our embedders for ragas."""

    def __init__(self, embed: Callable[[Sequence[str]], np.ndarray]) -> None:
        super().__init__()
        self._embed = embed

    def embed_text(self, text: str, **kwargs: Any) -> list[float]:
        vector: list[float] = self._embed([text])[0].tolist()
        return vector

    async def aembed_text(self, text: str, **kwargs: Any) -> list[float]:
        return self.embed_text(text)
