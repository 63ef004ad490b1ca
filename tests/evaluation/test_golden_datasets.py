"""Golden set and corpus from what `datasets` loads, which must fit together."""

import json
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.evidence import resolve
from evaluation.golden.hub import read_datasets
from evaluation.records import Reference
from rag.corpus.hub import load_datasets
from rag.corpus.passages import passage_id
from rag.errors import InputError

PASSAGE = "Der Bus fährt um 7 Uhr."
ROWS = [
    {"nr": 1, "frage": "Wann fährt er?", "passage": PASSAGE, "antworten": {"text": ["7 Uhr"], "answer_start": [17]}},
    {"nr": 2, "frage": "Wer fährt ihn?", "passage": PASSAGE, "antworten": {"text": [], "answer_start": []}},
]
COLUMNS = {"id": "nr", "question": "frage", "context": "passage", "expected_answer": "antworten"}


@pytest.fixture
def rows(tmp_path: Path) -> str:
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in ROWS), encoding="utf-8")
    return str(file)


def test_answers_are_spans_of_the_passages(rows: str) -> None:
    documents = load_datasets(rows, {"text": "passage"})
    golden = read_datasets(rows, COLUMNS)
    assert [document.id for document in documents] == [passage_id(PASSAGE)]
    first, second = golden.questions
    assert (first.id, first.expected_answer, second.answerable) == ("1", "7 Uhr", False)
    (piece,) = resolve(golden.questions, documents)["1"]
    assert documents[0].text[piece.start : piece.end] == "7 Uhr"


def test_plain_columns_of_a_parquet_file(tmp_path: Path) -> None:
    from datasets import Dataset

    file = str(tmp_path / "set.parquet")
    Dataset.from_list([{"frage": "Wo?", "soll": "Hier", "wo": "a#s1", "id": "d", "t": "Text"}]).to_parquet(file)
    (question,) = read_datasets(file, {"question": "frage", "expected_answer": "soll", "references": "wo"}).questions
    assert (question.id, question.references) == ("q001", (Reference("a", "s1"),))
    assert [document.id for document in load_datasets(file, {"text": "t", "id": "id"})] == ["d"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"question": "gibtesnicht"}, "no column gibtesnicht; there are nr, frage, passage, antworten"),
        ({"id": "nr"}, "the column mapping needs question"),
        ({"question": "frage", "farbe": "nr"}, "the column mapping needs question .* see farbe"),
    ],
)
def test_wrong_mapping(rows: str, columns: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_datasets(rows, columns)


def test_ids_with_two_texts(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("id,text\n1,a\n1,a\n1,b\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"t\.csv, row 3: document '1' occurs with two texts"):
        load_datasets(str(file), {"text": "text", "id": "id"})


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\x00", b"[[[", b'{"a": 1}\n{"a": {"b": 2}}\n', b"PAR1"])
@pytest.mark.parametrize("ending", ["csv", "json", "parquet", "xlsx"])
def test_files_that_do_not_load(tmp_path: Path, data: bytes, ending: str) -> None:
    file = tmp_path / f"x.{ending}"
    file.write_bytes(data)
    with pytest.raises(InputError):
        read_datasets(str(file), {"question": "frage"})


FUZZED = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    import datasets.config

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    return tmp_path


def read_both(file: Path) -> None:
    """A golden set and documents, or one line each that names the file; any other exception fails the test."""
    said = []
    for read in (partial(read_datasets, columns=COLUMNS), partial(load_datasets, columns={"text": "passage"})):
        try:
            read(str(file))
        except InputError as error:
            said.append(str(error))
    assert all(str(file) in line and "\n" not in line for line in said)


@pytest.mark.parametrize("ending", [".parquet", ".json", ".jsonl", ".csv"])
@given(content=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
@FUZZED
def test_any_bytes_are_a_set_or_one_line(own_cache: Path, ending: str, content: bytes) -> None:
    file = own_cache / f"set{ending}"
    file.write_bytes(content)
    read_both(file)


@given(
    rows=st.lists(st.dictionaries(st.sampled_from(sorted(COLUMNS.values())), VALUES), min_size=1, max_size=4),
    ending=st.sampled_from([".json", ".jsonl"]),
)
@FUZZED
def test_any_rows_are_a_set_or_one_line(own_cache: Path, rows: list[dict[str, object]], ending: str) -> None:
    file = own_cache / f"set{ending}"
    file.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    read_both(file)


def test_every_row_is_a_question_or_a_finding(own_cache: Path) -> None:
    file = own_cache / "set.jsonl"
    rows = [*ROWS, {**ROWS[0], "nr": 3, "frage": ""}, {**ROWS[0], "nr": 4, "passage": None}]
    file.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    golden = read_datasets(str(file), COLUMNS)
    assert (len(golden.questions), len(golden.findings)) == (2, 2)
