"""What a chat model is told: rules, numbered passages and the question, in German or English."""

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from rag.cache import key
from rag.chat import Messages

NOT_FOUND = "NOT_FOUND"
QUESTION_TAG = {"de": "frage", "en": "question"}
CODE_LENGTH = 12


def messages(language: str, question: str, passages: Sequence[str]) -> Messages:
    """The rules as system message; passages and question as user message, between marks that no passage can write.

    The marks hold a hash of all that stands between them, as the boundary of a MIME message is chosen: a passage that
    contained it would have to contain a hash of itself. Equal questions and passages give equal prompts.
    """
    code = key(question, *passages)[:CODE_LENGTH]
    tag = f"{QUESTION_TAG[language]}-{code}"
    parts = [f'<passage-{code} nr="{n}">\n{text}\n</passage-{code}>' for n, text in enumerate(passages, 1)]
    user = "\n\n".join([*parts, f"<{tag}>\n{question}\n</{tag}>"])
    return ({"role": "system", "content": _rules(language)}, {"role": "user", "content": user})


def prompt_hash(language: str) -> str:
    """Identifies the prompt: a hash of the messages made of a sample, so that their layout counts too."""
    said = messages(language, "Q", ["P1", "P2"])
    return hashlib.sha256("\0".join(message["content"] for message in said).encode()).hexdigest()


@cache
def _rules(language: str) -> str:
    return files("rag.answering").joinpath(f"prompts/{language}.txt").read_text(encoding="utf-8").strip()
