"""A language model says of every retrieved passage whether it helps to answer its question."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from evaluation.judging.language import check_language, prompt
from evaluation.records import Question
from rag.cache import Cache
from rag.cached import Progress
from rag.chat import Endpoint, Failure, Messages, Reply
from rag.jsontext import parse

SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "helps": {"type": "boolean"}},
    "required": ["reason", "helps"],
    "additionalProperties": False,
}
FORMAT = {"type": "json_schema", "json_schema": {"name": "relevance", "strict": True, "schema": SCHEMA}}
SHOWN = 200  # characters of a reply that is not in the schema


class Passage(NamedTuple):
    """What the judge sees."""

    question: str
    passage: str


@dataclass(frozen=True, slots=True)
class ContextJudge:
    """Yes or no for each passage, cached; a Failure where the model gave neither."""

    endpoint: Endpoint
    cache: Cache
    language: str = "de"

    def __post_init__(self) -> None:
        check_language(self.language)

    def __call__(self, passages: Sequence[Passage], progress: Progress | None = None) -> list[bool | Failure]:
        endpoint = replace(self.endpoint, parameters={**self.endpoint.parameters, "response_format": FORMAT})
        return endpoint.ask([self._messages(own) for own in passages], self.cache, read_helps, progress)

    def _messages(self, passage: Passage) -> Messages:
        return (
            {"role": "system", "content": prompt(self.language, "context")},
            {"role": "user", "content": json.dumps(passage._asdict(), ensure_ascii=False, indent=1)},
        )


def read_helps(reply: Reply) -> bool:
    """Raises ValueError for a reply that was cut off or is not in the schema."""
    try:
        helps = parse(reply.text)["helps"]  # type: ignore[index, call-overload]
    except (ValueError, KeyError, TypeError):
        helps = None
    if reply.finish == "length" or not isinstance(helps, bool):
        raise ValueError(f"the reply is not in the schema: {reply.refusal or reply.text[:SHOWN]!r}")
    return helps


def sample(questions: Sequence[Question], n: int) -> set[str]:
    """The ids of `n` answerable questions, the same for every run: those whose hashes come first."""
    ids = [question.id for question in questions if question.answerable]
    return set(sorted(ids, key=lambda own: hashlib.sha256(own.encode()).digest())[:n])
