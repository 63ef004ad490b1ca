"""The languages in which judges have prompts, and these prompts."""

from functools import cache
from importlib.resources import files

from rag.errors import InputError

LANGUAGES = ("de", "en")


def check_language(language: str) -> None:
    """Raises InputError for a language without prompts."""
    if language not in LANGUAGES:
        raise InputError(f"judge.language={language}: must be {' or '.join(LANGUAGES)}")


@cache
def prompt(language: str, name: str) -> str:
    """The text of `prompts/<language>/<name>.txt`."""
    return files("evaluation.judging").joinpath("prompts", language, f"{name}.txt").read_text(encoding="utf-8")
