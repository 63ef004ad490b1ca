"""A POST that is tried again after failures that may pass.

Straight on aiohttp: the client of the openai package waits and tries again by the same rules, but takes three to five
times the CPU time for a call, and with 16 calls at once that adds up to the latency of the endpoint. Importing this
loads aiohttp.
"""

import asyncio
import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from rag.chat.failure import CallError, message_of

RETRIED = (408, 409, 429)  # and 5xx
FIRST_WAIT, LONGEST_BACKOFF = 0.5, 8.0  # seconds
LONGEST_WAIT = 120.0  # seconds; a server that asks for more has failed


def session(base_url: str, api_key: str, timeout: float, connections: int) -> aiohttp.ClientSession:
    """For calls to one server; `timeout` in seconds is for one try. To be opened in the event loop that uses it."""
    url = urlsplit(base_url)
    return aiohttp.ClientSession(
        headers={"authorization": f"Bearer {api_key or 'none'}"},
        timeout=aiohttp.ClientTimeout(timeout),
        connector=aiohttp.TCPConnector(limit=connections),
        # aiohttp then reads the environment at every call, in a thread: only where it names a proxy
        trust_env=url.scheme in getproxies() and not proxy_bypass(url.netloc),
    )


async def post(session: aiohttp.ClientSession, url: str, body: Mapping[str, object], retries: int) -> str:
    """The text of the response. Tries `retries` times more, waiting as Retry-After says or twice as long each time.

    Raises CallError for what the last try brought.
    """
    try:
        return await _tried(session, url, body, retries)
    except _StatusError as error:
        raise CallError(f"HTTP {error.status}: {message_of(error.body)}") from None
    except TimeoutError:
        raise CallError("timed out") from None
    except aiohttp.ClientError as error:
        raise CallError(f"no connection: {error}") from None


@dataclass
class _StatusError(Exception):
    """The server's answer is not a success."""

    status: int
    body: str
    retry_after: float | None

    @property
    def may_pass(self) -> bool:
        return (self.status in RETRIED or self.status >= 500) and (self.retry_after or 0) <= LONGEST_WAIT


async def _tried(session: aiohttp.ClientSession, url: str, body: Mapping[str, object], retries: int) -> str:
    for tried in range(retries):
        try:
            return await _once(session, url, body)
        except _StatusError as error:
            if not error.may_pass:
                raise
            await asyncio.sleep(error.retry_after or _backoff(tried))
        except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError, TimeoutError):
            await asyncio.sleep(_backoff(tried))
    return await _once(session, url, body)


async def _once(session: aiohttp.ClientSession, url: str, body: Mapping[str, object]) -> str:
    # A redirect would take the passages to another server, or turn the POST into a GET.
    async with session.post(url, json=body, allow_redirects=False) as response:
        text = await response.text(encoding="utf-8", errors="replace")
        if response.status >= 300:
            raise _StatusError(response.status, text, _seconds(response.headers.get("retry-after", "")))
        return text


def _backoff(tried: int) -> float:
    return min(FIRST_WAIT * 2**tried, LONGEST_BACKOFF) * random.uniform(0.75, 1)


def _seconds(retry_after: str) -> float | None:
    """From a number of seconds or a date (RFC 9110, 10.2.3); None if it is neither or has passed."""
    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(retry_after) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):  # TypeError: a date without a zone
            return None
    return seconds if seconds > 0 else None  # not for nan
