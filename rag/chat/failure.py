"""Calls that brought nothing, said in one line that shows no key."""

import json
from dataclasses import dataclass

from rag.records import Usage

LONGEST_ERROR = 300  # characters


@dataclass(frozen=True, slots=True)
class Failure:
    """A call without a reply that can be used, in one line. `usage`: what it took all the same; None: not known."""

    error: str
    usage: Usage | None = None


class CallError(Exception):
    """A call that brought no response, as a person is told it."""


def what_openai_says(error: Exception) -> str:
    """An error of the openai package's client, as a person is told it."""
    from openai import APIConnectionError, APIStatusError, APITimeoutError

    match error:
        case APIStatusError():
            return f"HTTP {error.status_code}: {message_of(error.response.text)}"
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


def message_of(body: str) -> str:
    """The message of an error in OpenAI's form, else the whole body."""
    try:
        return str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return body
