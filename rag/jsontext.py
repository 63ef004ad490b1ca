"""JSON and JSON Lines as people's tools write them: BOM, UTF-16, Windows line ends, U+0085 inside strings, NaN."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from rag.errors import InputError
from rag.findings import Finding

_LINE_END = re.compile(r"\r\n|\n|\r")  # str.splitlines would also cut at U+0085 and U+2028 inside strings


def read_bytes(path: str) -> bytes:
    """The file's bytes. Raises InputError when it cannot be read."""
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{path}: cannot be read ({reason}); name an existing file") from None


def decode(data: bytes, source: str) -> str:
    """UTF-8 or, told by its BOM or zero bytes, UTF-16/32; the BOM is dropped. Raises InputError naming the line."""
    try:
        return data.decode(json.detect_encoding(data)).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{source}, line {line}: not UTF-8; save the file as UTF-8") from None


def read_text(path: str) -> str:
    """The text of a JSON file. Raises InputError."""
    return decode(read_bytes(path), path)


def parse(text: str) -> object:
    """One JSON value; NaN and Infinity, as pandas writes them for empty cells, are null.

    Raises ValueError: not JSON, a key twice in one object, nested too deeply, half a surrogate pair.
    """
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=lambda _: None)
        if "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("a \\ud... escape is half a surrogate pair") from None
    return value


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"key {next(key for key in keys if keys.count(key) > 1)!r} occurs twice in one object")
    return record


def lines(text: str) -> Iterator[tuple[int, str]]:
    """(number from 1, line) of every line that is not blank."""
    for number, line in enumerate(_LINE_END.split(text), 1):
        if line.strip(" \t"):
            yield number, line


def json_lines(text: str) -> Iterator[tuple[str, object]]:
    """("line 3", value) of every line; the value is a Finding where the line is not JSON."""
    for number, line in lines(text):
        try:
            yield f"line {number}", parse(line)
        except ValueError as error:
            yield f"line {number}", Finding(f"line {number}", f"not JSON: {error}", "correct the line", "not JSON")
