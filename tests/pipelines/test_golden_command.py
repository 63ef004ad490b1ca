"""The command prints the report, writes the lock and ends with an exit code that says how it went."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.golden import golden
from rag.errors import InputError

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


def run(action: str, path: Path, *more: str) -> int:
    return golden([action, "golden=squad", f"golden.path={path}", "corpus=squad", f"corpus.path={path}", *more])


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
    with pytest.raises(InputError, match="1 x span off"):
        run("lock", squad)
    with pytest.raises(InputError, match=r"fehlt\.json: cannot be read"):
        run("check", squad.parent / "fehlt.json")


def test_columns_of_a_data_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "set.csv"
    file.write_text("frage,soll,wo,t,nr\nWann öffnet er?,6 Uhr,hof,Der Hof öffnet um 6 Uhr.,hof\n", encoding="utf-8")
    columns = ["golden.columns.question=frage", "golden.columns.expected_answer=soll", "+golden.columns.references=wo"]
    data = [f"golden.path={file}", "corpus=datasets", f"corpus.path={file}", "corpus.columns.text=t"]
    unused = ["~golden.columns.context", "~golden.columns.id"]
    assert golden(["check", "golden=datasets", *columns, *unused, *data, "+corpus.columns.id=nr"]) == 0
    assert "1 questions\nunusable: 0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "write check"),
        (["prüfe"], "write check"),
        (["lock", "--json"], "write check"),
        (["check", "corpus=squad"], "corpus.path has no value"),
        (["check", "golden.paht=x"], "did you mean golden.path"),
        (["check", "retrieval.top_k=4,8"], "takes one value for each key"),
        (["lock", "embedding=e5-small,minilm"], "takes one value for each key"),
    ],
)
def test_what_cannot_be_run_is_one_line(arguments: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        golden(arguments)
    assert "\n" not in str(error.value)


def test_a_lock_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    from evaluation.golden.lock import write_lock

    with pytest.raises(InputError, match="a lock needs a local golden set"):
        write_lock(str(tmp_path / "deepset" / "germanquad"), {})


@pytest.mark.parametrize(
    ("arguments", "code", "said"), [(["--help"], 0, "check [--json]"), (["chek"], 2, "error: chek")]
)
def test_exit_codes_of_the_process(arguments: list[str], code: int, said: str) -> None:
    done = subprocess.run([sys.executable, "-m", "pipelines.golden", *arguments], capture_output=True, text=True)
    assert done.returncode == code
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_a_reader_that_has_read_enough_is_no_error(squad: Path) -> None:
    command = [sys.executable, "-m", "pipelines.golden", "check", "golden=squad", f"golden.path={squad}"]
    with subprocess.Popen(
        [*command, "corpus=squad", f"corpus.path={squad}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as ended:
        assert ended.stdout
        assert ended.stderr
        ended.stdout.close()  # long before anything is printed
        assert ended.stderr.read() == b""
