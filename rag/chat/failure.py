"""Calls that brought nothing, said in one line that shows no key."""

from dataclasses import dataclass

from rag.records import Usage

LONGEST_ERROR = 300  # characters


@dataclass(frozen=True, slots=True)
class Failure:
    """A call without a reply that can be used, in one line. `usage`: what it took all the same; None: not known."""

    error: str
    usage: Usage | None = None


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
