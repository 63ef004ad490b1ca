import signal
import sqlite3
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest

from rag.cache import Cache, key, today
from rag.cache_contents import clear, contents
from rag.errors import InputError
from rag.model_files import built_once
from rag.once import once


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MESSLATTE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def fill(folder: Path) -> None:
    cache = Cache()
    cache.put_many({key("a"): b"1" * 1000, key("b"): b"2"})
    cache._database.execute("UPDATE used SET day = ? WHERE entry = 1", [today() - 40])
    cache.close()
    model = folder / "models" / "e5-small-1"
    (model / "1_Pooling").mkdir(parents=True)
    (model / "model.safetensors").write_bytes(b"w" * 3000)
    (model / "1_Pooling" / "config.json").write_bytes(b"{}")


def test_everything_is_listed_with_its_size(folder: Path) -> None:
    fill(folder)
    (folder / "meins.txt").write_text("nicht anfassen")
    results, model, other = contents()
    assert (results.kind, results.entries) == ("results", 2)
    assert results.bytes >= 1001
    assert results.oldest == date(1970, 1, 1) + timedelta(days=today() - 40)
    assert (model.kind, model.path, model.bytes) == ("model", folder / "models" / "e5-small-1", 3000 + 2)
    assert (other.kind, other.path, other.bytes) == ("other", folder / "meins.txt", 14)


def test_clearing_removes_what_is_ours_and_names_it(folder: Path) -> None:
    fill(folder)
    (folder / "meins.txt").write_text("nicht anfassen")
    assert [item.path.name for item in clear()] == ["cache.sqlite", "e5-small-1"]
    assert {path.name for path in folder.rglob("*")} == {"in-use.lock", "models", "meins.txt"}
    assert Cache().get_many([key("a")]) == {}
    assert clear()[0].entries == 0


def test_locks_of_workers_are_ours(folder: Path) -> None:
    cache = Cache()
    with once(cache, "statements"):
        assert [item.path.name for item in contents()] == ["cache.sqlite"]
    cache.close()
    del cache
    clear()
    assert not (folder / "locks").exists()


def test_nothing_there(folder: Path) -> None:
    assert (contents(), clear()) == ([], [])
    assert not folder.exists()


def test_a_file_is_no_folder(folder: Path) -> None:
    folder.write_text("")
    for command in (contents, clear):
        with pytest.raises(InputError, match="cache: a file, no folder"):
            command()


def test_models_that_are_kept_elsewhere_stay(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "groß" / "e5-small-1").mkdir(parents=True)
    folder.mkdir()
    (folder / "models").symlink_to(tmp_path / "groß")
    assert [(item.kind, item.path) for item in clear()] == [("link", folder / "models")]
    assert (tmp_path / "groß" / "e5-small-1").is_dir()
    assert not (folder / "models").is_symlink()


def test_a_damaged_file_is_cleared(folder: Path) -> None:
    fill(folder)
    data = bytearray((folder / "cache.sqlite").read_bytes())
    data[100:] = b"\xff" * (len(data) - 100)
    (folder / "cache.sqlite").write_bytes(data)
    assert contents()[0].entries is None
    assert clear()[0].path == folder / "cache.sqlite"
    assert not (folder / "cache.sqlite").exists()


def test_a_database_of_somebody_else_stays(folder: Path) -> None:
    folder.mkdir()
    sqlite3.connect(folder / "cache.sqlite").execute("CREATE TABLE kunde (name)").connection.commit()
    (folder / "cache.sqlite-wal").write_text("")
    assert {item.kind for item in contents()} == {"other"}
    assert clear() == []
    assert {path.name for path in folder.iterdir()} == {"in-use.lock", "cache.sqlite", "cache.sqlite-wal"}


USER = """
import sys
from pathlib import Path
{use}
print("at work", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize(
    "use",
    [
        "from rag.cache import Cache; cache = Cache()",
        "from rag.model_files import built_once; built_once('e5-small-1', print)",
    ],
)
def test_what_a_process_uses_is_not_cleared(folder: Path, use: str) -> None:
    fill(folder)
    before = sorted(folder.rglob("*"))
    with subprocess.Popen(
        [sys.executable, "-c", USER.format(use=use)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as user:
        assert user.stdout is not None
        assert user.stdout.readline() == "at work\n"
        with pytest.raises(InputError, match=r"in use by another process, such as a sweep .*; nothing was removed"):
            clear()
        assert {path for path in before if path.suffix != ".lock"} <= set(folder.rglob("*"))
        assert contents()[0].entries == 2  # looking is free
        user.kill()
    assert [item.path.name for item in clear()] == ["cache.sqlite", "e5-small-1"]


BUILDER = """
import time
from rag.model_files import built_once
def build(folder):
    (folder / "config.json").write_text("{}")
    print("building", flush=True)
    time.sleep(600)
built_once("m-1", build)
"""


def finish(folder: Path) -> None:
    (folder / "weights").write_text("complete")


def test_a_killed_build_is_neither_used_nor_forgotten(folder: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", BUILDER], stdout=subprocess.PIPE, text=True) as builder:
        assert builder.stdout is not None
        assert builder.stdout.readline() == "building\n"
        builder.kill()
    assert builder.returncode == -signal.SIGKILL
    (left,) = contents()
    assert left.path.name.startswith(".m-1-")
    Cache(folder / "cache.sqlite")  # the folder is in use again, and free again
    assert [item.path for item in clear()] == [folder / "cache.sqlite", left.path]
    assert built_once("m-1", finish) == folder / "models" / "m-1"
    assert [path.name for path in (folder / "models" / "m-1").iterdir()] == ["weights"]
