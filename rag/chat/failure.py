"""Calls that brought nothing, said in one line that shows no key."""

import json
from dataclasses import dataclass

import aiohttp

from rag.chat.post import StatusError
from rag.records import Usage

LONGEST_ERROR = 300  # characters


@dataclass(frozen=True, slots=True)
class Failure:
    """A call without a reply that can be used, in one line. `usage`: what it took all the same; None: not known."""

    error: str
    usage: Usage | None = None


def what_failed(error: Exception) -> str:
    """An error of a call, as a person is told it."""
    match error:
        case StatusError():
            return f"HTTP {error.status}: {_said(error.body)}"
        case TimeoutError():
            return "timed out"
        case aiohttp.ClientError():
            return f"no connection: {error}"
    return str(error)


def what_openai_says(error: Exception) -> str:
    """The same for libraries that ask with the client of the openai package."""
    from openai import APIConnectionError, APIStatusError, APITimeoutError

    match error:
        case APIStatusError():
            return f"HTTP {error.status_code}: {_said(error.response.text)}"
        case APITimeoutError():
            return "timed out"
        case APIConnectionError():
            return f"no connection: {error.__cause__}"
    return str(error)


def one_line(text: str, api_key: str) -> str:
    """The beginning of the text in one line, without the key."""
    return " ".join(without(api_key, text).split())[:LONGEST_ERROR]


def without(api_key: str, text: str) -> str:
    return text.replace(api_key, "(API key)") if api_key else text


def _said(body: str) -> str:
    """The message of an error in OpenAI's form, else the whole body."""
    try:
        return str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return body
