"""What a chat endpoint says, read from its JSON."""

import json
from dataclasses import asdict, dataclass

from rag.jsontext import parse
from rag.records import Usage

MOST_TOKENS = 10**9  # of one call; more is no count
SHOWN = 200  # characters of a body that is no completion


@dataclass(frozen=True, slots=True)
class Reply:
    """The message of a completion. `finish`: why it ended (`stop`, `length`, ...). `usage` None: not said."""

    text: str
    refusal: str
    finish: str
    usage: Usage | None

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self), ensure_ascii=False).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Reply":
        value = json.loads(data)
        usage = value.pop("usage")
        return cls(**value, usage=usage and Usage(**usage))


def read_reply(body: str) -> Reply:
    """The first choice of a chat completion. Raises ValueError with the beginning of the body if it is none."""
    try:
        completion = parse(body)
        choice = completion["choices"][0]  # type: ignore[index]
        message = choice["message"]
        text, refusal = message.get("content") or "", message.get("refusal") or ""
        finish = choice.get("finish_reason") or ""
        usage = _usage(completion.get("usage"))  # type: ignore[attr-defined]
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        raise ValueError(f"no chat completion: {body[:SHOWN]}") from None
    if not all(isinstance(value, str) for value in (text, refusal, finish)):
        raise ValueError(f"no chat completion: {body[:SHOWN]}")
    return Reply(text, refusal, finish, usage)


def _usage(said: object) -> Usage | None:
    if not isinstance(said, dict):
        return None
    tokens = said.get("prompt_tokens"), said.get("completion_tokens")
    match tokens:
        case (int(prompt), int(completion)) if 0 <= min(prompt, completion) <= max(prompt, completion) < MOST_TOKENS:
            return Usage(prompt, completion)
    return None
