"""An OpenAI-compatible chat endpoint: Ollama, vLLM, llama.cpp and the hosted ones all speak this protocol."""

import asyncio
import os
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from openai import AsyncOpenAI

Result = TypeVar("Result")
NO_KEY = "none"  # the client wants one, local servers do not


class JudgingError(Exception):
    """An answer could not be judged; the message is one line that names the question and what went wrong."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is asked. The key is read from the environment at each use and held nowhere.

    `timeout` in seconds for each attempt. `retries`: after a time-out, a lost connection, 408, 409, 429 or 5xx, with
    growing pauses or as long as Retry-After says (openai-python does that).
    """

    base_url: str
    model: str
    api_key_env: str = "OPENAI_API_KEY"
    timeout: float = 60.0
    retries: int = 4
    concurrency: int = 8

    def client(self) -> "AsyncOpenAI":
        from openai import AsyncOpenAI

        return AsyncOpenAI(base_url=self.base_url, api_key=self._key(), timeout=self.timeout, max_retries=self.retries)

    async def gather(self, calls: Sequence[Awaitable[Result]]) -> list[Result | Exception]:
        """Await all calls, at most `concurrency` at a time. One that fails stops no other: what it paid for is kept."""
        free = asyncio.Semaphore(self.concurrency)

        async def one(call: Awaitable[Result]) -> Result | Exception:
            async with free:
                try:
                    return await call
                except Exception as error:
                    return error

        return list(await asyncio.gather(*map(one, calls)))

    def problem(self, error: Exception) -> str:
        """An error in one line without the key, which some servers repeat in theirs."""
        text = " ".join(f"{type(error).__name__}: {error}".split()).replace(self._key(), "***")
        return f"{text[:500]} ({self.model} at {self.base_url}, key from {self.api_key_env})"

    def _key(self) -> str:
        return os.environ.get(self.api_key_env) or NO_KEY
