"""Chat completions from any endpoint that speaks OpenAI's protocol: many at once, each paid for once."""

import asyncio
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rag.answering.reply import Reply, read_reply
from rag.cache import Cache, key
from rag.cached import Progress
from rag.errors import InputError

if TYPE_CHECKING:
    from openai import AsyncOpenAI

Messages = Sequence[Mapping[str, str]]
"""`[{"role": "system", "content": ...}, {"role": "user", "content": ...}]`"""

LONGEST_ERROR = 300  # characters
SHORTEST_KEY = 8  # characters
LONGEST_WAIT = 120.0  # seconds between two tries: the client obeys a Retry-After up to this


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that brought no reply, in one line."""

    error: str


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model behind a base URL such as `http://127.0.0.1:11434/v1`.

    `parameters` go into the request as they are (temperature, max_tokens, ...). The API key is read from the
    environment variable `api_key_env` for each batch and kept nowhere; local servers need none. `timeout` in seconds is
    for one try; after a time-out, a lost connection, 408, 409, 429 or 5xx the client tries `retries` times more,
    waiting as Retry-After says or twice as long each time. At most `concurrency` calls run at once.

    Raises InputError for settings that make no sense or would carry a secret.
    """

    model: str
    base_url: str
    parameters: Mapping[str, object]
    api_key_env: str = "OPENAI_API_KEY"
    timeout: float = 60.0
    retries: int = 4
    concurrency: int = 8

    def __post_init__(self) -> None:
        if not re.fullmatch("[A-Z_][A-Z0-9_]*", self.api_key_env):  # its value may be a key: it is not shown
            raise InputError("api_key_env must be the name of an environment variable in capitals, never a key itself")
        url = urlsplit(self.base_url)
        if url.scheme not in ("http", "https") or not url.hostname or "@" in url.netloc or url.query or url.fragment:
            raise InputError(
                "base_url must be like http://127.0.0.1:11434/v1, without user, password or query: it is logged"
            )
        if self.timeout <= 0 or self.retries < 0 or self.concurrency < 1:
            raise InputError(
                f"timeout={self.timeout}, retries={self.retries}, concurrency={self.concurrency}:"
                " must be above 0, at least 0, at least 1"
            )

    def key(self, messages: Messages) -> str:
        """The cache key of a call: all that determines its reply."""
        said = json.dumps([dict(message) for message in messages], ensure_ascii=False)
        return key("chat", self.base_url, self.model, json.dumps(self.parameters, sort_keys=True), said)

    def ask(self, prompts: Sequence[Messages], cache: Cache, progress: Progress | None = None) -> list[Reply | Failure]:
        """A reply for every prompt, in order. Equal prompts are one call; replies are cached as they come in."""
        keys = [self.key(messages) for messages in prompts]
        wanted = Counter(keys)
        replies: dict[str, Reply | Failure] = {
            own: Reply.from_bytes(data) for own, data in cache.get_many(list(wanted)).items()
        }
        if progress:
            progress(sum(wanted[own] for own in replies))
        missing = {own: messages for own, messages in zip(keys, prompts, strict=True) if own not in replies}

        def done(own: str, reply: Reply | Failure) -> None:
            replies[own] = reply
            if isinstance(reply, Reply):
                cache.put_many({own: reply.to_bytes()})
            if progress:
                progress(wanted[own])

        if missing:
            asyncio.run(self._call_all(missing, done))
        return [replies[own] for own in keys]

    async def _call_all(self, missing: Mapping[str, Messages], done: Callable[[str, Reply | Failure], None]) -> None:
        from openai import AsyncOpenAI

        api_key = self._api_key()
        waiting = iter(missing.items())
        async with AsyncOpenAI(
            base_url=self.base_url, api_key=api_key or "none", timeout=self.timeout, max_retries=self.retries
        ) as client:

            async def work() -> None:
                for own, messages in waiting:
                    done(own, await self._call(client, messages, api_key))

            await asyncio.gather(*(work() for _ in range(min(self.concurrency, len(missing)))))

    async def _call(self, client: "AsyncOpenAI", messages: Messages, api_key: str) -> Reply | Failure:
        from openai import OpenAIError

        try:
            # The client's time-out starts anew with every byte that arrives; this one does not.
            async with asyncio.timeout((self.retries + 1) * (self.timeout + LONGEST_WAIT)):
                # Not chat.completions.create: its typed parameters and reply cost more than all the rest of a call.
                body = await client.post("/chat/completions", cast_to=str, body=self._request(messages))
            # Some servers repeat what they were sent. A shorter key is a placeholder and may be a word of the answer.
            return read_reply(without(api_key, body) if len(api_key) >= SHORTEST_KEY else body)
        except (OpenAIError, ValueError, TimeoutError) as error:
            return Failure(one_line(error, api_key))

    def _request(self, messages: Messages) -> dict[str, object]:
        return {**self.parameters, "model": self.model, "messages": list(messages)}

    def _api_key(self) -> str:
        api_key = os.environ.get(self.api_key_env, "").strip()
        if not (api_key.isascii() and api_key.isprintable()):
            raise InputError(f"the environment variable {self.api_key_env} holds characters that no API key has")
        return api_key


def one_line(error: Exception, api_key: str) -> str:
    """What went wrong, without the key."""
    from openai import APIConnectionError, APIStatusError, APITimeoutError

    if isinstance(error, APIStatusError):
        said = error.body.get("message") if isinstance(error.body, dict) else None
        text = f"HTTP {error.status_code}: {said or error.message.removeprefix(f'Error code: {error.status_code} - ')}"
    elif isinstance(error, APITimeoutError | TimeoutError):
        text = "timed out"
    elif isinstance(error, APIConnectionError):
        text = f"no connection: {error.__cause__}"
    else:
        text = str(error)
    return " ".join(without(api_key, text).split())[:LONGEST_ERROR]


def without(api_key: str, text: str) -> str:
    return text.replace(api_key, "(API key)") if api_key else text
