"""The command prints the report, writes the lock and ends with an exit code that says how it went."""

import json
from pathlib import Path

import pytest

from pipelines.golden import main

SQUAD = {
    "data": [
        {
            "title": "Hof",
            "paragraphs": [
                {
                    "context": "Der Hof öffnet um 6 Uhr.",
                    "qas": [{"id": "a", "question": "Wann?", "answers": [{"text": "6 Uhr", "answer_start": 18}]}],
                }
            ],
        }
    ]
}


@pytest.fixture
def squad(tmp_path: Path) -> Path:
    file = tmp_path / "hof.json"
    file.write_text(json.dumps(SQUAD), encoding="utf-8")
    return file


def run(action: str, golden: Path, *more: str) -> int:
    return main([action, "--golden", str(golden), "--corpus", str(golden), "--corpus-format", "squad", *more])


def test_check_lock_and_change(squad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", squad) == 0
    assert "not in the lock: 1" in capsys.readouterr().out
    assert run("lock", squad) == 0
    assert capsys.readouterr().out == f"{squad}.lock.json: 1 questions locked\n"
    squad.write_text(squad.read_text().replace("6 Uhr.", "6 Uhr fr\\u00fch."), encoding="utf-8")
    assert run("check", squad, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["lock"] == {"stale": ["a"], "revalidated": [], "unlocked": []}
    assert report["margins"]["0.5"] == 1.96 * 0.5


def test_findings_and_unreadable_input(squad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = squad.read_text()
    more = '"answer_start": 18}]}, {"id": "b", "question": "Wo?", "answers": [{"text": "Hof", "answer_start": 3}]}]'
    squad.write_text(text.replace('"answer_start": 18}]}]', more), encoding="utf-8")
    assert run("check", squad) == 1
    assert "it stands at 4-7, +1 characters off" in capsys.readouterr().out
    assert run("lock", squad) == 2
    assert "1 x span off" in capsys.readouterr().err
    assert run("check", squad.parent / "fehlt.json") == 2
    assert "fehlt.json: cannot be read" in capsys.readouterr().err
