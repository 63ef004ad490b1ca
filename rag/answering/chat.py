"""Answers written by a language model that reads the passages."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.answering.prompt import NOT_FOUND, QUESTION_TAG, messages, prompt_hash
from rag.cache import Cache
from rag.cached import Progress
from rag.chat import Endpoint, Failure, Messages, Reply
from rag.errors import InputError
from rag.records import Answer, Hit

_LIST = re.compile(r"\[\s*([0-9]+(?:\s*[,;]\s*[0-9]+)*)\s*\]")
_WRAPPING = " \t\r\n\"'`*.„“"


@dataclass(frozen=True, slots=True)
class Chat:
    """Asks a chat model for an answer from the numbered passages alone; `language` (`de`, `en`) is the prompt's.

    A call that fails is an answer with an `error`. Raises InputError for a language without a prompt.
    """

    endpoint: Endpoint
    cache: Cache
    language: str = "de"
    progress: Progress | None = None

    def __post_init__(self) -> None:
        if self.language not in QUESTION_TAG:
            raise InputError(f"language={self.language}: must be one of {', '.join(QUESTION_TAG)}")

    @property
    def prompt_hash(self) -> str:
        return prompt_hash(self.language)

    def prompts(self, questions: Sequence[str], passages: Sequence[Sequence[Hit]]) -> list[Messages]:
        return [
            messages(self.language, question, [hit.chunk.ranked_text for hit in hits])
            for question, hits in zip(questions, passages, strict=True)
        ]

    def __call__(self, questions: Sequence[str], passages: Sequence[Sequence[Hit]]) -> list[Answer]:
        found = self.endpoint.ask(self.prompts(questions, passages), self.cache, read_answer, self.progress)
        return [Answer("", (), False, own.error, own.usage) if isinstance(own, Failure) else own for own in found]


def read_answer(reply: Reply) -> Answer:
    """Declined for NOT_FOUND and refusals, else the text with its citations.

    Raises ValueError if it was cut off, or says nothing, as a broken endpoint does: that is no decision to decline.

    `[1, 2]` becomes `[1][2]`, so that every citation is written in one way.
    """
    if reply.finish == "length":
        raise ValueError("cut off at the limit of output tokens; raise it in parameters")
    if reply.refusal or reply.finish == "content_filter" or reply.text.strip(_WRAPPING).startswith(NOT_FOUND):
        return Answer((reply.refusal or reply.text).strip(), (), True, usage=reply.usage)
    if not reply.text.strip():
        raise ValueError(f"the model said nothing (finish_reason={reply.finish or 'none'})")
    text = _LIST.sub(lambda found: "".join(f"[{number}]" for number in _numbers(found[1])), reply.text).strip()
    citations = dict.fromkeys(number for found in _LIST.finditer(text) for number in _numbers(found[1]))
    return Answer(text, tuple(citations), False, usage=reply.usage)


def _numbers(listed: str) -> list[int]:
    return [int(number) for number in re.split("[,;]", listed)]
