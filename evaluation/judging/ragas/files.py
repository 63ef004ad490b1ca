"""The German prompts as files: one a prompt class of ragas, and the frame around them all."""

import hashlib
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

import yaml

FOLDER = files("evaluation.judging").joinpath("prompts", "de", "ragas")


def wording(prompt_class: str) -> dict[str, Any]:
    """`instruction` and `examples`, a list of {input, output}, that stand in for those of this class of ragas."""
    found: dict[str, Any] = yaml.safe_load(FOLDER.joinpath(f"{prompt_class}.yaml").read_text(encoding="utf-8"))
    return found


def frame() -> str:
    """A string.Template with $instruction, $schema, $examples and $input."""
    return FOLDER.joinpath("frame.txt").read_text(encoding="utf-8")


@cache
def prompts_hash(language: str) -> str:
    """Version of the prompts: a hash of all German files; of the English ones, the version of ragas, whose they are."""
    if language == "en":
        return f"ragas-{version('ragas')}"
    digest = hashlib.sha256()
    for file in sorted(FOLDER.iterdir(), key=lambda file: file.name):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()
