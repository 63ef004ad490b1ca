"""A golden set from a file or folder, its format told by what is in it."""

from codecs import BOM_UTF8
from contextlib import suppress
from pathlib import Path

from evaluation.golden.beir import read_beir
from evaluation.golden.collect import GoldenSet
from evaluation.golden.csv_records import read_csv
from evaluation.golden.json_records import read_lines, read_list
from evaluation.golden.squad import read_squad
from evaluation.records import Question
from rag.corpus.squad import is_squad
from rag.errors import InputError
from rag.findings import stop_on
from rag.jsontext import decode, parse, read_bytes


def load(path: str, split: str = "test") -> list[Question]:
    """The questions of a golden set, every record of it. Raises InputError that counts and shows unusable records.

    `split` chooses the qrels of a BEIR folder.
    """
    golden = try_load(path, split)
    stop_on(golden.findings, path)
    return list(golden.questions)


def try_load(path: str, split: str = "test") -> GoldenSet:
    """The usable questions, and a finding for each record that is not. Raises InputError when nothing can be read."""
    if Path(path).is_dir():
        return read_beir(path, split)
    data = read_bytes(path)
    if data.startswith(b"PAR1"):
        raise InputError(f"{path}: Parquet needs a column mapping; read it with golden=datasets")
    text = _text(data, path)
    first = text.lstrip()[:1]
    if first == "[":
        return read_list(text, path)
    if first == "{":
        return read_squad(value, path) if is_squad(value := _whole(text)) else read_lines(text, path)
    return read_csv(text, path)


def _text(data: bytes, path: str) -> str:
    """UTF-8, or cp1252 for the CSV of a German Excel."""
    try:
        return decode(data, path)
    except InputError:
        if not data.removeprefix(BOM_UTF8).lstrip().startswith((b"[", b"{")):
            with suppress(UnicodeDecodeError):
                return data.decode("cp1252")
        raise


def _whole(text: str) -> object:
    try:
        return parse(text)
    except ValueError:
        return None  # JSON Lines, or a broken file, whose lines then say what is wrong
