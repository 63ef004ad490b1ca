"""Any bytes give a golden set or one InputError; no record is dropped on the way."""

import csv
import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from golden_samples import BEIR, EXCEL, FRAGEN, KOMMA, KONTEXTE, SQUAD, ZEILEN, write_beir
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.evidence import try_resolve
from evaluation.golden import golden_hash, try_load
from evaluation.golden.lock import read_lock
from rag.corpus.beir import load_beir
from rag.corpus.squad import load_squad
from rag.errors import InputError

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
)
FIELDS = ["id", "_id", "question", "frage", "antwort", "expected", "doc", "groups", "answerable", "metadata"]
SQUAD_KEYS = ["data", "title", "paragraphs", "context", "qas", "answers", "text", "answer_start", "is_impossible"]
NAMES = [*FIELDS, *SQUAD_KEYS, "document", "quote", "start", "end"]
RECORDS = st.recursive(
    JSON, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=6)
)
JSON_LINES = st.lists(RECORDS, max_size=3).map(lambda values: "\n".join(map(json.dumps, values)).encode())
VALID = st.sampled_from([FRAGEN, ZEILEN, KONTEXTE, EXCEL.encode("cp1252"), KOMMA.encode(), SQUAD])


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    data = draw(VALID)
    for _ in range(draw(st.integers(1, 4))):
        at, length = draw(st.integers(0, len(data))), draw(st.integers(0, 6))
        data = (
            data[:at]
            + draw(st.binary(max_size=4) | st.sampled_from([b'"', b"{", b"]", b"\n", b"NaN"]))
            + data[at + length :]
        )
    return data


def survives(read: Callable[[str], Any], path: str) -> Any:
    """What is read, None for an InputError of one line; anything else raised fails the test."""
    try:
        return read(path)
    except InputError as error:
        one_line = len(str(error).splitlines()) == 1
    assert one_line
    return None


def survives_data(read: Callable[[str], Any], data: bytes) -> Any:
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(data)
        return survives(read, file.name)


def readable(data: bytes) -> None:
    golden = survives_data(try_load, data)
    if golden is not None:
        assert golden.questions
        golden_hash(golden.questions)
        try_resolve(golden.questions, survives_data(load_squad, data) or [])


@settings(deadline=None)
@given(st.binary() | st.text().map(str.encode))
def test_any_bytes(data: bytes) -> None:
    readable(data)
    survives_data(load_squad, data)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "g.lock.json").write_bytes(data)
        survives(read_lock, f"{folder}/g")


@settings(deadline=None)
@given(mutated())
def test_mutated_files(data: bytes) -> None:
    readable(data)


@settings(deadline=None)
@given(st.lists(RECORDS, max_size=5))
def test_any_json_list_and_lines_count_their_records(values: list[object]) -> None:
    for data in (json.dumps(values), "\n".join(map(json.dumps, [{}, *values]))):
        golden = survives_data(try_load, data.encode())
        if golden is not None:
            expected = len(values) + (0 if data.startswith("[") else 1)
            assert len(golden.questions) + len(golden.findings) == expected


@settings(deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(["title", "paragraphs"]), RECORDS), max_size=3))
def test_any_squad(articles: list[object]) -> None:
    readable(json.dumps({"data": articles}).encode())


@settings(deadline=None)
@given(st.lists(RECORDS, max_size=5))
def test_any_squad_questions_are_counted(questions: list[object]) -> None:
    good = {"id": "gut", "question": "gut?", "answers": [{"text": "a", "answer_start": 0}]}
    squad = {"data": [{"title": "t", "paragraphs": [{"context": "ab", "qas": [good, *questions]}]}]}
    golden = survives_data(try_load, json.dumps(squad).encode())
    assert len(golden.questions) + len(golden.findings) == 1 + len(questions)


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5)), min_size=1))
def test_csv_rows_are_counted(rows: list[tuple[str, str]]) -> None:
    file = io.StringIO()
    csv.writer(file, delimiter=";").writerows([("frage", "antwort"), *rows])
    golden = survives_data(try_load, file.getvalue().encode())
    if golden is not None:
        filled = sum(bool(question.strip() or answer.strip()) for question, answer in rows)
        assert len(golden.questions) + len(golden.findings) == filled


@settings(deadline=None)
@given(
    st.sampled_from(sorted(BEIR)),
    st.binary() | st.lists(RECORDS, max_size=3).map(lambda v: "\n".join(map(json.dumps, v)).encode()),
)
def test_beir_with_any_file_replaced(name: str, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_beir(Path(folder))
        (Path(folder) / name).write_bytes(data)
        survives(try_load, folder)
        survives(load_beir, folder)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.sampled_from(["0", "1", "?"])), min_size=1)
)
def test_beir_queries_are_counted(judgements: list[tuple[str, str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        queries = "".join(f'{{"_id": "{name}", "text": "{name}?"}}\n' for name in "ab")
        qrels = "".join("\t".join(judgement) + "\n" for judgement in judgements)
        write_beir(Path(folder), {"queries.jsonl": queries, "qrels/test.tsv": qrels})
        golden = survives(try_load, folder)
    if golden is not None:
        assert len(golden.questions) + len(golden.findings) == len({query for query, _, _ in judgements})
