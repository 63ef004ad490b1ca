import csv
from pathlib import Path

import pytest

from pipelines import ledger
from rag.errors import InputError


def test_the_header_once_then_a_line_a_run(tmp_path: Path) -> None:
    file = tmp_path / "verlauf" / "ledger.csv"
    ledger.append(file, {"run": "a", "mrr": 0.5})
    ledger.append(file, {"run": "b", "mrr": ""})
    assert file.read_bytes() == b"run,mrr\na,0.5\nb,\n"


def test_an_empty_file_gets_the_header(tmp_path: Path) -> None:
    file = tmp_path / "ledger.csv"
    file.touch()
    ledger.append(file, {"run": "a"})
    assert file.read_text() == "run\na\n"


@pytest.mark.parametrize("columns", [["run"], ["mrr", "run"], ["run", "mrr", "map"]])
def test_other_columns_are_refused_and_the_file_stays(tmp_path: Path, columns: list[str]) -> None:
    file = tmp_path / "ledger.csv"
    ledger.append(file, {"run": "a", "mrr": 0.5})
    before = file.read_bytes()
    with pytest.raises(InputError, match=r"ledger\.csv: has other columns"):
        ledger.append(file, dict.fromkeys(columns, 1))
    assert file.read_bytes() == before


def test_whatever_is_in_a_value_comes_back(tmp_path: Path) -> None:
    file = tmp_path / "ledger.csv"
    line = {"point": 'Prüfung, "neu"\nzweite Zeile', "größe": "ß; é · 5"}
    ledger.append(file, line)
    ledger.append(file, line)
    with file.open(encoding="utf-8", newline="") as read:
        assert list(csv.DictReader(read)) == [line, line]


@pytest.mark.parametrize("name", ["", "ordner", "datei/ledger.csv"])
def test_a_place_where_no_ledger_can_be_is_known_before(tmp_path: Path, name: str) -> None:
    (tmp_path / "ordner").mkdir()
    (tmp_path / "datei").touch()
    with pytest.raises(InputError, match=r"tracking\.ledger=.*name another file"):
        ledger.check(tmp_path / name, ["run"])
