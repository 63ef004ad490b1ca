"""Answers written by a language model that reads the passages."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rag.answering.endpoint import Endpoint, Failure, Messages
from rag.answering.prompt import NOT_FOUND, QUESTION_TAG, messages, prompt_hash
from rag.answering.reply import Reply
from rag.cache import Cache
from rag.cached import Progress
from rag.errors import InputError
from rag.records import Answer, Hit

_LIST = re.compile(r"\[\s*([0-9]+(?:\s*[,;]\s*[0-9]+)*)\s*\]")
_WRAPPING = " \t\r\n\"'`*.„“"


@dataclass(frozen=True, slots=True)
class Chat:
    """Asks a chat model for an answer from the numbered passages alone; `language` (`de`, `en`) is the prompt's.

    A call that fails is an answer with an `error`. The other settings are those of `Endpoint`.
    """

    cache: Cache
    model: str
    base_url: str
    language: str = "de"
    parameters: Mapping[str, object] = field(default_factory=dict)
    api_key_env: str = "OPENAI_API_KEY"
    timeout: float = 60.0
    retries: int = 4
    concurrency: int = 8
    progress: Progress | None = None

    def __post_init__(self) -> None:
        if self.language not in QUESTION_TAG:
            raise InputError(f"language={self.language}: must be one of {', '.join(QUESTION_TAG)}")
        _ = self.endpoint

    @property
    def endpoint(self) -> Endpoint:
        """Raises InputError for settings that make no sense."""
        return Endpoint(
            self.model,
            self.base_url,
            self.parameters,
            self.api_key_env,
            self.timeout,
            self.retries,
            self.concurrency,
        )

    @property
    def prompt_hash(self) -> str:
        return prompt_hash(self.language)

    def prompts(self, questions: Sequence[str], passages: Sequence[Sequence[Hit]]) -> list[Messages]:
        return [
            messages(self.language, question, [hit.chunk.ranked_text for hit in hits])
            for question, hits in zip(questions, passages, strict=True)
        ]

    def __call__(self, questions: Sequence[str], passages: Sequence[Sequence[Hit]]) -> list[Answer]:
        replies = self.endpoint.ask(self.prompts(questions, passages), self.cache, self.progress)
        return [
            Answer("", (), False, reply.error, usage=None) if isinstance(reply, Failure) else read_answer(reply)
            for reply in replies
        ]


def read_answer(reply: Reply) -> Answer:
    """Declined for NOT_FOUND and refusals; an error for a text that was cut off; else the text with its citations.

    `[1, 2]` becomes `[1][2]`, so that every citation is written in one way.
    """
    if reply.finish == "length":
        return Answer("", (), False, "cut off at the limit of output tokens; raise it in parameters", reply.usage)
    if reply.refusal or reply.finish == "content_filter" or reply.text.strip(_WRAPPING).startswith(NOT_FOUND):
        return Answer((reply.refusal or reply.text).strip(), (), True, usage=reply.usage)
    text = _LIST.sub(lambda found: "".join(f"[{number}]" for number in _numbers(found[1])), reply.text).strip()
    citations = dict.fromkeys(number for found in _LIST.finditer(text) for number in _numbers(found[1]))
    return Answer(text, tuple(citations), False, usage=reply.usage)


def _numbers(listed: str) -> list[int]:
    return [int(number) for number in re.split("[,;]", listed)]
