"""Chat completions from any endpoint that speaks OpenAI's protocol: many at once, each paid for once."""

import asyncio
import json
import os
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import SplitResult, urlsplit

from rag.cache import Cache, key
from rag.cached import Progress
from rag.chat.failure import CallError, Failure, one_line, what_openai_says, without
from rag.chat.reply import Reply, read_reply
from rag.errors import InputError

if TYPE_CHECKING:
    from aiohttp import ClientSession
    from openai import AsyncOpenAI

Messages = Sequence[Mapping[str, str]]
"""`[{"role": "system", "content": ...}, {"role": "user", "content": ...}]`"""
Result = TypeVar("Result")

SHORTEST_KEY = 8  # characters


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model behind a base URL such as `http://127.0.0.1:11434/v1`.

    `parameters` go into the request as they are (temperature, max_tokens, ...). The API key is read from the
    environment variable `api_key_env` whenever it is used and kept nowhere; local servers need none. `timeout` in
    seconds is for one try; after a time-out, a lost connection, 408, 409, 429 or 5xx the client tries `retries` times
    more, waiting as Retry-After says or twice as long each time. At most `concurrency` calls run at once.

    Raises InputError for settings that make no sense or would carry a secret.
    """

    model: str
    base_url: str
    parameters: Mapping[str, object] = field(default_factory=dict)
    api_key_env: str = "OPENAI_API_KEY"
    timeout: float = 60.0
    retries: int = 4
    concurrency: int = 8

    def __post_init__(self) -> None:
        if not re.fullmatch("[A-Z_][A-Z0-9_]*", self.api_key_env):  # its value may be a key: it is not shown
            raise InputError("api_key_env must be the name of an environment variable in capitals, never a key itself")
        if not (isinstance(self.model, str) and self.model):
            raise InputError(f"model={self.model}: must be the name of a model (quote a number: '\"3\"')")
        url = _split(self.base_url)
        if (
            not url
            or url.scheme not in ("http", "https")
            or not url.hostname
            or "@" in url.netloc
            or url.query
            or url.fragment
        ):
            raise InputError(
                "base_url must be like http://127.0.0.1:11434/v1, without user, password or query: it is logged"
            )
        if self.timeout <= 0 or self.retries < 0 or self.concurrency < 1:
            raise InputError(
                f"timeout={self.timeout}, retries={self.retries}, concurrency={self.concurrency}:"
                " must be above 0, at least 0, at least 1"
            )

    def key(self, messages: Messages, repeat: int = 0) -> str:
        """The cache key of a call: all that determines its reply."""
        said = json.dumps([dict(message) for message in messages], ensure_ascii=False)
        parameters = json.dumps(self.parameters, sort_keys=True)
        return key("chat", self.base_url, self.model, parameters, said, *([str(repeat)] if repeat else []))

    def ask(
        self,
        prompts: Sequence[Messages],
        cache: Cache,
        read: Callable[[Reply], Result],
        progress: Progress | None = None,
        repeat: int = 0,
    ) -> list[Result | Failure]:
        """What `read` makes of the reply to every prompt, in order. Equal prompts are one call.

        A reply for which `read` raises ValueError is a failure. All others are cached as they come in. With another
        `repeat` the same prompts are asked anew.
        """
        keys = [self.key(messages, repeat) for messages in prompts]
        wanted = Counter(keys)
        found = {own: _read(Reply.from_bytes(data), read) for own, data in cache.get_many(list(wanted)).items()}
        if progress:
            progress(sum(wanted[own] for own in found))
        missing = {own: messages for own, messages in zip(keys, prompts, strict=True) if own not in found}

        def done(own: str, reply: Reply | Failure) -> None:
            found[own] = reply if isinstance(reply, Failure) else _read(reply, read)
            if isinstance(reply, Reply) and not isinstance(found[own], Failure):
                cache.put_many({own: reply.to_bytes()})
            if progress:
                progress(wanted[own])

        if missing:
            asyncio.run(self._call_all(missing, done))
        return [found[own] for own in keys]

    def client(self) -> "AsyncOpenAI":
        """A client of the endpoint that obeys time-out and retries, for libraries that ask on their own."""
        from openai import AsyncOpenAI

        return AsyncOpenAI(
            base_url=self.base_url, api_key=self._api_key() or "none", timeout=self.timeout, max_retries=self.retries
        )

    def problem(self, error: Exception) -> str:
        """What went wrong in a call with that client, in one line without the key."""
        return one_line(what_openai_says(error), self._api_key())

    async def _call_all(self, missing: Mapping[str, Messages], done: Callable[[str, Reply | Failure], None]) -> None:
        from rag.chat.post import session

        async with session(self.base_url, self._api_key(), self.timeout, self.concurrency) as opened:

            async def one(own: str, messages: Messages) -> None:
                done(own, await self._call(opened, messages))

            await at_once(self.concurrency, (one(own, messages) for own, messages in missing.items()))

    async def _call(self, session: "ClientSession", messages: Messages) -> Reply | Failure:
        from rag.chat.post import post

        api_key = self._api_key()
        try:
            url = f"{self.base_url.rstrip('/')}/chat/completions"
            body = await post(session, url, self._request(messages), self.retries)
            # Some servers repeat what they were sent. A shorter key is a placeholder and may be a word of the answer.
            if len(api_key) < SHORTEST_KEY:
                return read_reply(body)
            reply = read_reply(without(api_key, body))  # of an error; JSON may write the key with escapes
            return replace(reply, text=without(api_key, reply.text), refusal=without(api_key, reply.refusal))
        except (CallError, ValueError) as error:
            return Failure(one_line(str(error), api_key))

    def _request(self, messages: Messages) -> dict[str, object]:
        return {**self.parameters, "model": self.model, "messages": list(messages)}

    def _api_key(self) -> str:
        api_key = os.environ.get(self.api_key_env, "").strip()
        if not (api_key.isascii() and api_key.isprintable()):
            raise InputError(f"the environment variable {self.api_key_env} holds characters that no API key has")
        return api_key


async def at_once(limit: int, calls: Iterator[Awaitable[None]]) -> None:
    """Await all calls, at most `limit` at the same time."""

    async def work() -> None:
        for call in calls:
            await call

    await asyncio.gather(*(work() for _ in range(limit)))


def _split(url: str) -> SplitResult | None:
    try:
        split = urlsplit(url)
        return split if split.port != 0 else None  # reading it raises ValueError above 65535
    except ValueError:
        return None


def _read(reply: Reply, read: Callable[[Reply], Result]) -> Result | Failure:
    try:
        return read(reply)
    except ValueError as error:
        return Failure(str(error), reply.usage)
