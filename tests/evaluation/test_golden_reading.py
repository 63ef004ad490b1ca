"""Every format of a golden set, read by its content."""

import csv
import io
from pathlib import Path
from typing import Literal

import pytest
from golden_samples import BEIR, EXCEL, FRAGEN, KOMMA, KONTEXTE, SQUAD, ZEILEN, write_beir

from evaluation.golden import golden_hash, load, try_load
from evaluation.records import Question, Reference
from rag.errors import InputError


def read(tmp_path: Path, data: bytes) -> list[Question]:
    file = tmp_path / "gold.dat"  # the ending says nothing
    file.write_bytes(data)
    return load(str(file))


def kinds(tmp_path: Path, data: bytes) -> list[str]:
    file = tmp_path / "gold.dat"
    file.write_bytes(data)
    return [finding.kind for finding in try_load(str(file)).findings]


def test_json_list(tmp_path: Path) -> None:
    first, second = read(tmp_path, FRAGEN)
    assert first == Question(
        id="q001",
        question="Wie hoch ist die Mahngebühr?",
        expected_answer="2,50 Euro",
        references=(Reference("BA-2024-017", "s3"),),
        category="Gebühren",
    )
    assert (second.id, second.answerable) == ("q002", False)


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_json_lines_in_every_encoding(tmp_path: Path, encoding: str, ends: str) -> None:
    first, second = read(tmp_path, ZEILEN.decode().replace("\r\n", ends).encode(encoding))
    assert first == Question(
        "urlaub-1", "Wie viele Urlaubstage gibt es?", "30 Tage", (Reference("urlaub"),), "", "", ("personal",)
    )
    assert (second.question, second.answerable) == ("Zeile\u0085mit\u2028Trennern?", False)


def test_json_with_contexts_keeps_metadata(tmp_path: Path) -> None:
    (question,) = read(tmp_path, KONTEXTE)
    assert question.references == (Reference("faq_versand.md", "frage-12"), Reference("faq_versand", quote="4,90 Euro"))
    assert (question.category, question.difficulty, question.groups) == ("Versand", "leicht", ("kunden",))
    assert dict(question.metadata) == {"created_by": "Petra", "last_validated": "2024-11-02", "validated": "true"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_csv_of_a_german_excel(tmp_path: Path, encoding: str) -> None:
    first, second = read(tmp_path, EXCEL.encode(encoding))
    references = (Reference("a", "s1"), Reference("b", "s2"))
    assert first == Question("1", "Größe?", 'sagt "groß"; sehr', references, "Maße")
    assert second == Question(
        "2", "Preis in €?", "zwei\r\nZeilen", (Reference("a"), Reference("b")), "Geld", answerable=False
    )


def test_csv_of_everybody_else(tmp_path: Path) -> None:
    first, second = read(tmp_path, KOMMA.encode())
    assert first == Question("1", "Wo, bitte?", "Hier", (Reference("haus.md", "eingang"),))
    assert second.references == (Reference("haus.md"), Reference("hof.md"))


@pytest.mark.parametrize("separator", [";", ",", "\t"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_csv_dialects(tmp_path: Path, separator: str, quoting: Literal[0, 1], encoding: str) -> None:
    file = io.StringIO()
    rows = [("Frage", "Antwort", "Quelle"), ('Wo; "hier", dort?', "ü\t", "a#s1|b"), ("Wann?", "", "c")]
    csv.writer(file, delimiter=separator, quoting=quoting).writerows(rows)
    first, second = read(tmp_path, file.getvalue().encode(encoding))
    assert first == Question("q001", 'Wo; "hier", dort?', "ü", (Reference("a", "s1"), Reference("b")))
    assert second == Question("q002", "Wann?", references=(Reference("c"),))


def test_squad(tmp_path: Path) -> None:
    first, second = read(tmp_path, SQUAD)
    reference = Reference("bücherei-nord-1", quote="9 Uhr", start=23, end=28)
    assert first == Question("a1", "Wann öffnet die Bücherei?", "9 Uhr", (reference,))
    assert second == Question("a2", "Wann schließt sie?", answerable=False)


def test_beir_reads_the_queries_of_its_split(tmp_path: Path) -> None:
    folder = write_beir(tmp_path)
    assert load(folder) == [Question("f1", "Wann öffnet sie?", references=(Reference("d1"),))]
    assert load(folder, split="train") == [Question("f2", "Nur im Training?", references=(Reference("d#2"),))]
    with pytest.raises(InputError, match=r"no split 'dev' in qrels/; there are test, train"):
        load(folder, split="dev")


def test_beir_with_qrels_as_json_lines(tmp_path: Path) -> None:
    qrels = '{"query-id": "f1", "corpus-id": "d1", "score": 1}\n{"query_id": "f1", "doc_id": "d#2", "score": 0}\n'
    folder = write_beir(tmp_path, {"queries.jsonl": BEIR["queries.jsonl"], "qrels.jsonl": qrels})
    assert [question.references for question in load(folder)] == [(Reference("d1"),)]


def test_dirty_qrels_are_reported_in_full(tmp_path: Path) -> None:
    queries = "".join(f'{{"_id": "f{n}", "text": "Frage {n}?"}}\n' for n in range(1, 6))
    qrels = "f1\td1\t1\nf2\td1\tviel\nf3\td1\t1\nf3\td1\t2\nf4\td1\t0\nf9\td1\t1\nf9\td2\t1\nkaputt\n"
    golden = try_load(write_beir(tmp_path, {"queries.jsonl": queries, "qrels/test.tsv": qrels}))
    assert [question.id for question in golden.questions] == ["f1"]
    assert [(finding.record, finding.kind) for finding in golden.findings] == [
        ("queries.jsonl, line 2 (f2)", "malformed qrels"),
        ("queries.jsonl, line 3 (f3)", "malformed qrels"),
        ("queries.jsonl, line 4 (f4)", "nothing relevant"),
        ("qrels", "unknown query"),
        ("qrels/test.tsv, line 8", "malformed qrels"),
    ]


def test_references_in_every_form(tmp_path: Path) -> None:
    forms = b"""["d", "d#s3", "C#-Kurs.md#s1", {"document": "d", "section": "s3"}, {"document": "d", "quote": " x"},
        {"document": "d", "start": 0, "end": 2}, {"document": "d", "start": 0, "end": 2, "quote": "ab"}]"""
    (question,) = read(tmp_path, b'[{"frage": "A?", "referenzen": ' + forms + b"}]")
    assert question.references == (
        Reference("d"),
        Reference("d", "s3"),
        Reference("C#-Kurs.md", "s1"),
        Reference("d", "s3"),
        Reference("d", quote=" x"),
        Reference("d", start=0, end=2),
        Reference("d", quote="ab", start=0, end=2),
    )


@pytest.mark.parametrize(
    "reference",
    [
        "7", "[]", '""', "{}", '"#s3"', '"d#"', '{"quote": "x"}', '{"document": ["d"], "quote": "x"}',
        '{"document": "d", "start": 1}', '{"document": "d", "start": 2, "end": 2}',
        '{"document": "d", "start": true, "end": 2}', '{"document": "d", "start": 0.5, "end": 2}',
        '{"document": "d", "quote": 1}', '{"document": "d", "quote": ""}', '{"document": "d", "zitat": "x"}',
        '{"document": "d", "section": "s1", "quote": "x"}',
    ],
)  # fmt: skip
def test_malformed_references(tmp_path: Path, reference: str) -> None:
    good = '{"frage": "Gut?", "doc": "d"}'
    assert kinds(tmp_path, f'[{good}, {{"frage": "A?", "doc": [{reference}]}}]'.encode()) == ["malformed reference"]


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        ('{"frage": "", "antwort": "x"}', "no question"),
        ('{"frage": " \u00a0", "antwort": "x"}', "no question"),
        ('{"frage": "\u200b", "antwort": "x"}', "no question"),
        ('{"frage": "???", "antwort": "x"}', "no question"),
        ('{"antwort": "x"}', "no question"),
        ("[1]", "not a record"),
        ("null", "not a record"),
        ('{"frage": "A?", "antwort": "x", "expected": "y"}', "field given twice"),
        ('{"frage": ["A?"], "antwort": "x"}', "wrong type"),
        ('{"frage": "A?", "antwort": true}', "wrong type"),
        ('{"frage": "A?", "antwort": "x", "groups": [1]}', "wrong type"),
        ('{"frage": "A?", "antwort": "x", "answerable": "vielleicht"}', "wrong type"),
        ('{"frage": "A?", "frage": "B?", "antwort": "x"}', "not JSON"),
        ('{"frage": "A?", "antwort": "x"', "not JSON"),
        ('{"frage": "A?", "antwort": "\\ud800"}', "not JSON"),
        ('{"frage": "A?", "antwort": ' + "9" * 5000 + "}", "not JSON"),
        ('{"frage": "A?", "antwort": "x", "m": ' + "[" * 100_000 + "}", "not JSON"),
        ('{"id": "gut", "frage": "A?", "antwort": "x"}', "conflicting id"),
        ('{"id": "gut", "frage": "Gut?", "antwort": "ja"}', "repeated record"),
        ('{"frage": "gut? ", "antwort": "nein"}', "contradiction"),
    ],
)
def test_each_unusable_record_is_one_finding(tmp_path: Path, record: str, kind: str) -> None:
    good = '{"id": "gut", "frage": "Gut?", "antwort": "ja"}'
    assert kinds(tmp_path, f"{good}\n\n{record}\n".encode()) == [kind]
    with pytest.raises(InputError, match=rf"gold\.dat: 1 unusable \(1 x {kind}\): line 3: "):
        load(str(tmp_path / "gold.dat"))


def test_ids_by_position_stay_when_a_record_before_them_is_unusable(tmp_path: Path) -> None:
    (tmp_path / "g").write_bytes(b'[{"frage": ""}, {"frage": "Gut?", "antwort": "ja"}]')
    assert [question.id for question in try_load(str(tmp_path / "g")).questions] == ["q002"]


def test_a_question_may_be_asked_again_by_others_or_of_another_place(tmp_path: Path) -> None:
    records = ['"antwort": "a"', '"antwort": "b", "groups": "chefs"', '"antwort": "c", "doc": "d"']
    lines = "\n".join('{"frage": "Wer?", ' + rest + "}" for rest in records)
    assert len(read(tmp_path, lines.encode())) == 3


def test_nan_is_an_empty_cell(tmp_path: Path) -> None:
    (question,) = read(tmp_path, b'[{"frage": "A?", "antwort": "x", "kategorie": NaN, "quelle": null, "id": 7}]')
    assert question == Question("7", "A?", "x")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "neither JSON nor CSV with a column for the question"),
        (b"[]", "no record in it"),
        (b"[1", "not JSON"),
        (b'[{"frage": "A?", "answerable": false}]', "or add questions that have an answer"),
        (b'[{"frage": "A?", "anwtort": "vertippt"}]', "no record has an expected answer or a reference"),
        (b'[{"frage": "A?", "antwort": "\xfc"}]', "line 1: not UTF-8"),
        (b"PAR1....PAR1", "golden=datasets"),
        (b'frage;antwort\n"offen;x\nB?;y\n', "line 2: not CSV"),
        (b"frage;antwort;x;x\nA?;b;c;d\n", "a column name occurs twice"),
        (b"frage\x81", "line 1: not UTF-8"),
        (b'{"data": [{"paragraphs": [{"context": " "}]}]}', "article 1, paragraph 1: no context"),
    ],
)
def test_files_that_are_no_golden_set(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        read(tmp_path, data)
    assert len(str(raised.value).splitlines()) == 1


def test_csv_row_with_too_many_cells(tmp_path: Path) -> None:
    golden = b"frage;antwort\nA?;b\n\nC?;d;mehr\nE?;f;;\nG?\n"
    assert kinds(tmp_path, golden) == ["too many cells"]
    assert [question.id for question in try_load(str(tmp_path / "gold.dat")).questions] == ["q001", "q003", "q004"]


def test_csv_with_emptied_columns_behind(tmp_path: Path) -> None:
    assert kinds(tmp_path, b"frage;antwort;;\nA?;b;;\nC?;d;;Notiz\n") == ["too many cells"]


def test_missing_file() -> None:
    for path in ("gibt/es/nicht.json", "null\0byte"):
        with pytest.raises(InputError, match="cannot be read"):
            load(path)


def test_hash_knows_content_not_order_or_metadata(tmp_path: Path) -> None:
    questions = read(tmp_path, ZEILEN)
    assert golden_hash(questions) == golden_hash(questions[::-1])
    changed = ZEILEN.replace(b"30 Tage", b"31 Tage")
    noted = ZEILEN.replace(b'"id": "urlaub-1"', b'"geprueft": "2025", "id": "urlaub-1"')
    assert golden_hash(read(tmp_path, changed)) != golden_hash(questions) == golden_hash(read(tmp_path, noted))
