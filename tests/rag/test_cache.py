import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rag.cache import Cache, cache_folder, cache_limit, key, today
from rag.cache_schema import sealed
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
        cache.put_many({key("a"): b"1", object(): b"2"})  # type: ignore[dict-item]
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
    with pytest.raises(InputError, match="cache version 7, this release reads 2; delete the file"):
        Cache(tmp_path / "c.sqlite")


def test_a_cache_without_checksums_gets_them_and_loses_nothing(tmp_path: Path) -> None:
    items = {key(str(n)): bytes([n]) * n for n in range(20)}
    cache = Cache(tmp_path / "c.sqlite")
    cache.put_many(items)
    cache._database.execute("UPDATE entry SET value = substr(value, 5)")  # as version 1 wrote them
    cache._database.execute("PRAGMA user_version = 1")
    cache.close()
    assert Cache(tmp_path / "c.sqlite").get_many(list(items)) == items


@pytest.mark.parametrize(
    "damage", ["zeroblob(length(value))", "substr(value, 1, 6)", "CAST(value || x'00' AS BLOB)", "x''"]
)
def test_what_a_disk_has_changed_is_not_there_and_can_be_stored_again(tmp_path: Path, damage: str) -> None:
    cache = Cache(tmp_path / "c.sqlite")
    items = {key("a"): b"12345678", key("b"): b"87654321"}
    cache.put_many(items)
    cache._database.execute(f"UPDATE entry SET value = {damage} WHERE key = ?", [key("a")])
    assert cache.get_many(list(items)) == {key("b"): b"87654321"}
    cache.put_many(items)
    assert cache.get_many(list(items)) == items


def test_a_file_whose_pages_are_damaged(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c.sqlite")
    items = {key(str(n)): bytes(1000) for n in range(500)}
    cache.put_many(items)
    cache._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    cache.close()
    with (tmp_path / "c.sqlite").open("r+b") as file:
        file.seek(5 * 4096)
        file.write(b"\xff" * 300_000)
    with pytest.raises(InputError, match=r"c\.sqlite: not usable as a cache .*; delete it"):
        Cache(tmp_path / "c.sqlite").get_many(list(items))


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


def numbered(start: int, count: int, size: int = 1500) -> dict[str, bytes]:
    return {key(str(n)): n.to_bytes(4, "little") * (size // 4) for n in range(start, start + count)}


def age(cache: Cache, items: dict[str, bytes], days: int) -> None:
    """Let the items have been used so many days ago."""
    for name in items:
        cache._database.execute(
            "UPDATE used SET day = ? WHERE entry = (SELECT rowid FROM entry WHERE key = ?)", [today() - days, name]
        )


KILLED = """
import sys
from pathlib import Path
from rag.cache import Cache, key
cache = Cache(Path(sys.argv[1]))
items = {key(sys.argv[2], str(n)): n.to_bytes(4, "little") * 500 for n in range(40_000)}
print("writing", flush=True)
cache.put_many(items)
print("done", flush=True)
"""


def test_a_killed_writer_leaves_all_of_its_items_or_none(tmp_path: Path) -> None:
    """40,000 items of 2 kB are 80 MB: SQLite writes them to its log long before the transaction ends."""
    file, log = tmp_path / "c.sqlite", tmp_path / "c.sqlite-wal"
    before = numbered(0, 100)
    Cache(file).put_many(before)
    for attempt, written in enumerate((1_000_000, 10_000_000, 30_000_000)):
        command = [sys.executable, "-c", KILLED, str(file), str(attempt)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "writing\n"
            start = log.stat().st_size if log.is_file() else 0
            while not log.is_file() or log.stat().st_size < start + written:
                assert writer.poll() is None
                time.sleep(0.001)
            writer.kill()
            assert writer.stdout.read() == ""  # it was not done
        assert writer.returncode == -signal.SIGKILL
        cache = Cache(file)
        assert cache.get_many([key(str(attempt), str(n)) for n in range(40_000)]) == {}
        assert cache.get_many(list(before)) == before
        assert cache._database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert cache._database.execute("SELECT count(*) FROM used").fetchone() == (100,)
    cache.put_many(numbered(100, 1))
    assert len(cache.get_many(list(numbered(0, 101)))) == 101


def test_the_file_stays_below_its_limit_and_keeps_what_came_last(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c.sqlite", limit=2_000_000)
    for start in range(0, 6400, 128):  # 128 vectors of 1.5 kB a write, 9.6 MB in all
        cache.put_many(numbered(start, 128))
        cache._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert cache.path.stat().st_size <= 2_000_000
    assert cache.get_many(list(numbered(5900, 500))) == numbered(5900, 500)  # 0.75 MB
    assert cache.get_many(list(numbered(0, 4000))) == {}


def test_what_was_used_today_outlives_what_was_not(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c.sqlite", limit=2_000_000)
    first, second = numbered(0, 300), numbered(300, 300)
    cache.put_many(first)
    cache.put_many(second)
    age(cache, first, 3)
    age(cache, second, 2)
    assert cache.get_many(list(first)) == first
    cache.put_many(numbered(600, 300))
    assert cache.get_many(list(first)) == first
    assert len(cache.get_many(list(second))) < 300


def test_reading_writes_once_a_day(tmp_path: Path) -> None:
    cache, items = Cache(tmp_path / "c.sqlite"), numbered(0, 1200)
    cache.put_many(items)
    changes = cache._database.total_changes
    cache.get_many(list(items))
    assert cache._database.total_changes == changes  # stored today
    age(cache, items, 1)
    changes = cache._database.total_changes
    cache.get_many(list(items))
    assert cache._database.total_changes > changes
    changes = cache._database.total_changes
    cache.get_many(list(items))
    assert cache._database.total_changes == changes
    assert cache._database.execute("SELECT min(day) FROM used").fetchone() == (today(),)


def test_a_lowered_limit_gives_the_disk_back(tmp_path: Path) -> None:
    wide = Cache(tmp_path / "c.sqlite", limit=10_000_000)
    wide.put_many(numbered(0, 3000))
    wide.close()
    assert wide.path.stat().st_size > 4_500_000
    narrow = Cache(tmp_path / "c.sqlite", limit=1_000_000)
    narrow.put_many(numbered(3000, 1))
    narrow.close()
    assert narrow.path.stat().st_size <= 1_000_000
    assert set(numbered(2900, 101)) <= set(Cache(narrow.path).get_many(list(numbered(0, 3001))))


def test_more_than_the_limit_at_once_is_stored_and_goes_next(tmp_path: Path) -> None:
    cache, large = Cache(tmp_path / "c.sqlite", limit=200_000), {key("groß"): b"x" * 500_000}
    cache.put_many(numbered(0, 10))
    cache.put_many(large)
    assert cache.get_many([*large, *numbered(0, 10)]) == large
    cache.put_many(numbered(10, 10))
    assert cache.get_many([*large, *numbered(0, 20)]) == numbered(10, 10)


def test_several_processes_write_at_once_into_a_full_cache(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from rag.cache import Cache, key\n"
        "cache = Cache(Path(sys.argv[1]), limit=500_000)\n"
        "for n in range(60):\n"
        "    names = [key(sys.argv[2], str(n), str(m)) for m in range(8)]\n"
        "    items = {name: name.encode() * 20 for name in names}\n"
        "    cache.put_many(items)\n"
        "    assert all(value == name.encode() * 20 for name, value in cache.get_many(list(items)).items())"
    )
    file = tmp_path / "c.sqlite"
    workers = [subprocess.Popen([sys.executable, "-c", program, str(file), str(worker)]) for worker in range(4)]
    assert [worker.wait() for worker in workers] == [0, 0, 0, 0]
    database = Cache(file, limit=500_000)._database
    rows = database.execute("SELECT key, value FROM entry").fetchall()
    assert 100 < len(rows) < 4 * 60 * 8  # 1,280 bytes each: 500 kB hold some 250
    assert all(value == sealed(name.encode() * 20) for name, value in rows)
    assert database.execute("SELECT rowid FROM entry EXCEPT SELECT entry FROM used").fetchall() == []
    assert database.execute("SELECT entry FROM used EXCEPT SELECT rowid FROM entry").fetchall() == []
    assert file.stat().st_size <= 500_000


def test_a_file_of_a_release_that_kept_no_days(tmp_path: Path) -> None:
    """It keeps its entries and they are evicted like others. What the older release then writes is not believed."""
    older = sqlite3.connect(tmp_path / "c.sqlite", isolation_level=None)
    older.execute("CREATE TABLE entry (key TEXT PRIMARY KEY, value BLOB NOT NULL)")
    older.execute(f"PRAGMA application_id = {0x4D4C4154}")
    older.execute("PRAGMA user_version = 1")
    older.execute("PRAGMA journal_mode = WAL")
    older.executemany("INSERT OR IGNORE INTO entry VALUES (?, ?)", numbered(0, 200).items())
    cache = Cache(tmp_path / "c.sqlite", limit=1_000_000)
    assert cache.get_many(list(numbered(0, 200))) == numbered(0, 200)
    older.executemany("INSERT OR IGNORE INTO entry VALUES (?, ?)", numbered(190, 20).items())
    assert cache.get_many(list(numbered(0, 210))) == numbered(0, 200)
    cache.put_many(numbered(190, 20))
    assert cache._database.execute("SELECT count(*), min(day), max(day) FROM used").fetchone() == (
        210,
        today(),
        today(),
    )
    age(cache, numbered(0, 200), 1)
    for start in range(210, 510, 50):
        cache.put_many(numbered(start, 50))
    held = cache.get_many(list(numbered(0, 510)))
    assert key("0") not in held
    assert set(numbered(400, 110)) <= set(held)


@pytest.mark.parametrize("stated", ["viel", "0", "-1", "0,5", "nan", "inf", "10 GB"])
def test_a_limit_that_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stated: str) -> None:
    monkeypatch.setenv("MESSLATTE_CACHE_GB", stated)
    with pytest.raises(InputError, match=f"MESSLATTE_CACHE_GB={stated}: must be a number of gigabytes above 0"):
        Cache(tmp_path / "c.sqlite")


@pytest.mark.parametrize(("stated", "limit"), [("0.5", 500_000_000), ("", 10_000_000_000), ("1e3", 10**12)])
def test_the_environment_sets_the_limit(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stated: str, limit: int
) -> None:
    monkeypatch.setenv("MESSLATTE_CACHE_GB", stated)
    assert cache_limit() == limit
    assert Cache(tmp_path / "c.sqlite").limit == limit
