"""A JSON list or JSON Lines of records with named fields."""

from evaluation.golden.collect import GoldenSet, collect
from rag.errors import InputError
from rag.jsontext import json_lines, parse


def read_list(text: str, source: str) -> GoldenSet:
    """A JSON list; records are named by their position. Raises InputError."""
    try:
        value = parse(text)
    except ValueError as error:
        raise InputError(f"{source}: not JSON: {error}; correct the file") from None
    assert isinstance(value, list)
    return collect(((f"record {n}", record) for n, record in enumerate(value, 1)), source)


def read_lines(text: str, source: str) -> GoldenSet:
    """JSON Lines; records are named by their line. Raises InputError."""
    return collect(json_lines(text), source)
