import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rag.cache import Cache, cache_folder, key
from rag.errors import InputError


def test_values_come_back_and_absent_keys_do_not(tmp_path: Path) -> None:
    Cache(tmp_path / "c.sqlite").put_many({key("a"): b"\x00\xff", key("b"): b""})
    again = Cache(tmp_path / "c.sqlite")
    assert again.get_many([key("a"), key("b"), key("c")]) == {key("a"): b"\x00\xff", key("b"): b""}


def test_more_keys_than_sqlite_takes_variables(tmp_path: Path) -> None:
    items = {key(str(n)): n.to_bytes(4, "little") for n in range(40_000)}
    cache = Cache(tmp_path / "c.sqlite")
    cache.put_many(items)
    assert cache.get_many(list(items)) == items


def test_keys_do_not_collide_by_concatenation() -> None:
    parts = [("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""), ("", "abc"), ("a\0b", "c"), ("a", "b", "c")]
    assert len({key(*part) for part in parts}) == len(parts)
    assert len(key("ä")) == 64


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c.sqlite")
    with pytest.raises(sqlite3.IntegrityError):
        cache._database.execute("INSERT INTO entry VALUES ('x', NULL)")
    with pytest.raises(sqlite3.Error):
        cache.put_many({key("a"): b"1", key("b"): object()})  # type: ignore[dict-item]
    assert cache.get_many([key("a")]) == {}
    cache.put_many({key("a"): b"1"})
    assert cache.get_many([key("a")]) == {key("a"): b"1"}


def test_several_processes_open_and_write_at_once(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from rag.cache import Cache, key\n"
        "for n in range(20): Cache(Path(sys.argv[1])).put_many({key(sys.argv[2], str(n)): b'x', key(str(n)): b'y'})"
    )
    file = tmp_path / "new" / "c.sqlite"
    workers = [subprocess.Popen([sys.executable, "-c", program, str(file), str(worker)]) for worker in range(4)]
    assert [worker.wait() for worker in workers] == [0, 0, 0, 0]
    keys = [key(str(worker), str(n)) for worker in range(4) for n in range(20)] + [key(str(n)) for n in range(20)]
    assert len(Cache(file).get_many(keys)) == 4 * 20 + 20


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "c.sqlite").write_text("Das ist keine Datenbank. " * 100)
    with pytest.raises(InputError, match=r"c\.sqlite: not usable as a cache .*; delete it or set MESSLATTE_CACHE"):
        Cache(tmp_path / "c.sqlite")


def test_a_database_that_is_no_cache(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "c.sqlite").execute("CREATE TABLE entry (key, value)").connection.commit()
    with pytest.raises(InputError, match="not a cache of messlatte; choose another path"):
        Cache(tmp_path / "c.sqlite")


def test_a_cache_of_another_version(tmp_path: Path) -> None:
    Cache(tmp_path / "c.sqlite").close()
    sqlite3.connect(tmp_path / "c.sqlite").execute("PRAGMA user_version = 7").connection.commit()
    with pytest.raises(InputError, match="cache version 7, this release reads 1; delete the file"):
        Cache(tmp_path / "c.sqlite")


def test_the_environment_moves_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MESSLATTE_CACHE", str(tmp_path))
    assert Cache().path == tmp_path / "cache.sqlite"
    monkeypatch.delenv("MESSLATTE_CACHE")
    assert cache_folder().name == "messlatte"


def test_threads_do_not_mix_their_transactions(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c.sqlite")
    parts = [{f"{thread}-{n}": bytes([thread]) for n in range(50)} for thread in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda part: [cache.put_many({name: value}) for name, value in part.items()], parts))
    everything = {name: value for part in parts for name, value in part.items()}
    assert cache.get_many(list(everything)) == everything
