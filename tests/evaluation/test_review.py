"""Which answers people label, and the file in which they do."""

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.review import Labelled, choose, judged, read, same_answer, write
from rag.errors import InputError


def row(n: int, category: str = "fristen", label: str = "correct", **more: Any) -> dict[str, Any]:
    texts = {"question": f"Frage {n}?", "expected_answer": "Ja", "answer": "Ja, für Größe 3 [1]"}
    lists = {"cited": ["a", "b"], "references": ["a:0-5"]}
    return {"id": f"q{n}", "category": category, "label": label, "answerable": True, **texts, **lists, **more}


def test_every_stratum_gets_its_share_and_the_order_of_the_rows_does_not_matter() -> None:
    strata = {
        ("fristen", "correct"): 100,
        ("fristen", "wrong"): 40,
        ("betraege", "partly"): 50,
        ("betraege", "wrong"): 10,
    }
    rows = [row(1000 * i + n, *stratum) for i, (stratum, size) in enumerate(strata.items()) for n in range(size)]
    chosen = choose(rows, 50)
    # 50 of 200: a quarter of each, 10 / 4 = 2.5 rounded either way
    counts = Counter((own["category"], own["label"]) for own in chosen)
    assert all(abs(counts[stratum] - size / 4) < 1 for stratum, size in strata.items())
    assert len({own["id"] for own in chosen}) == 50
    assert choose(rows[::-1], 50) == chosen
    assert choose(rows[:3], 50) == choose(rows[:3], 3)
    assert choose([], 50) == []


def test_only_what_the_judge_labelled() -> None:
    rows = [row(1), row(2, answerable=False), row(3, label="declined"), row(4, expected_answer="")]
    assert [own["id"] for own in judged(rows)] == ["q1"]


def test_a_german_excel_opens_it_and_the_judge_is_not_named(tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    write([row(1, answer='=HYPERLINK("x")\n"Zeile"; 2'), row(2, label="wrong")], file)
    assert file.read_bytes().startswith(b"\xef\xbb\xbfid;category;question;")
    with file.open(encoding="utf-8-sig", newline="") as lines:
        first, second = csv.DictReader(lines, delimiter=";")
    assert first["answer"] == '\'=HYPERLINK("x")\n"Zeile"; 2'  # no formula
    assert (second["answer"], second["cited"], second["label"]) == ("Ja, für Größe 3 [1]", "a; b", "")
    assert "wrong" not in file.read_text(encoding="utf-8-sig")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_labels_come_back_in_either_language_however_excel_saved_them(encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    file.write_bytes(
        "id;answer;label\r\nq1;Größe;Richtig \r\nq2;;\r\nq3;x;wrong\r\nq4;x;teilweise\r\n".encode(encoding)
    )
    assert {own: said.label for own, said in read(file).items()} == {"q1": "correct", "q3": "wrong", "q4": "partly"}


TEXTS = st.text(st.sampled_from("'=+-@\t\r\n;\",aÄ1 ")) | st.text()


@given(st.lists(TEXTS, unique=True, max_size=5), TEXTS)
def test_ids_and_answers_come_back_exactly(
    tmp_path_factory: pytest.TempPathFactory, ids: list[str], answer: str
) -> None:
    file = tmp_path_factory.getbasetemp() / "round.csv"
    file.unlink(missing_ok=True)
    write([row(0, answer=answer) | {"id": own} for own in ids], file)
    with file.open(encoding="utf-8-sig", newline="") as lines:
        head, *rows = csv.reader(lines, delimiter=";")
    assert not any(cell[:1] in {*"=+-@\t\r"} for own in rows for cell in own if cell)  # Excel computes nothing
    with file.open("w", encoding="utf-8-sig", newline="") as out:
        csv.writer(out, delimiter=";").writerows([head, *([*own[:-1], "richtig"] for own in rows)])
    assert read(file) == dict.fromkeys(ids, Labelled("correct", answer))


@pytest.mark.parametrize("saved", ["≥ 3 Größen\n[1]", "? 3 Größen\r\n[1]"])  # as exported, and as cp1252 from Excel
def test_a_label_belongs_to_its_answer(saved: str) -> None:
    assert same_answer(Labelled("wrong", saved), "≥ 3 Größen\n[1]")
    assert not same_answer(Labelled("wrong", saved), "≥ 4 Größen\n[1]")
    assert same_answer(Labelled("wrong", None), "anything")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "id;label\nq1;gut\n",
            r"line 2: label 'gut' must be one of correct, partly, wrong, richtig, teilweise, falsch",
        ),
        ("id;label\nq1;falsch\nq1;richtig\n", r"line 3: id 'q1' is labelled twice"),
        ("id,label\nq1,falsch\n", "no columns id and label"),
        ("", "no columns id and label"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(text: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=says):
        read(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path / "no.csv")


def test_an_export_never_takes_the_place_of_labels(tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    write([row(1)], file)
    write([row(1)], file)  # nothing to lose
    labelled = file.read_bytes().rstrip() + b"richtig\r\n"
    file.write_bytes(labelled)
    with pytest.raises(InputError, match="is there already, perhaps with labels; move it"):
        write([row(1)], file)
    assert file.read_bytes() == labelled
    for nowhere in (tmp_path, tmp_path / "nix" / "r.csv"):
        with pytest.raises(InputError, match="cannot be written"):
            write([row(1)], nowhere)


def test_a_file_that_csv_cannot_hold_is_named(tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    file.write_text(f"id;answer;label\nq1;{'x' * 200_000};richtig\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 2: field larger than field limit"):
        read(file)
