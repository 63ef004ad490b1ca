"""The languages in which judges have prompts."""

from rag.errors import InputError

LANGUAGES = ("de", "en")


def check_language(language: str) -> None:
    """Raises InputError for a language without prompts."""
    if language not in LANGUAGES:
        raise InputError(f"judge.language={language}: must be {' or '.join(LANGUAGES)}")
