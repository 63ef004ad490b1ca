"""`python -m pipelines.cache`, run as a person runs it."""

import os
from pathlib import Path

from tiny import python

from rag.cache import Cache, key


def test_info_then_clear(tmp_path: Path) -> None:
    where = {"MESSLATTE_CACHE": str(tmp_path / "cache"), "MESSLATTE_CACHE_GB": "0.5"}
    cache = Cache(tmp_path / "cache" / "cache.sqlite")
    cache.put_many({key(str(n)): b"x" * 1000 for n in range(1234)})
    (tmp_path / "cache" / "models" / "e5-small-1").mkdir(parents=True)
    (tmp_path / "cache" / "models" / "e5-small-1" / "model.safetensors").write_bytes(b"w" * 2_500_000)

    shown = python("-m", "pipelines.cache", "info", **where)
    assert shown.returncode == 0, shown.stderr
    assert f"{tmp_path / 'cache'}: " in shown.stdout
    assert "1,234 entries, not used for longest: since 20" in shown.stdout
    assert "model       2.5 MB  e5-small-1" in shown.stdout
    assert "limit of the results: 0.5 GB (MESSLATTE_CACHE_GB)" in shown.stdout

    refused = python("-m", "pipelines.cache", "clear", **where)  # this process has it open
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "in use by another process" in refused.stderr
    assert len(cache.get_many([key("0"), key("1233")])) == 2
    cache.close()
    del cache

    cleared = python("-m", "pipelines.cache", "clear", **where)
    assert cleared.returncode == 0, cleared.stderr
    assert "1,234 entries" in cleared.stdout
    assert "e5-small-1" in cleared.stdout
    assert os.listdir(tmp_path / "cache" / "models") == []
    assert "nothing" in python("-m", "pipelines.cache", "info", **where).stdout


def test_wrong_words_are_one_line_and_exit_code_2(tmp_path: Path) -> None:
    for arguments, environment, words in (
        (["leeren"], {}, "invalid choice: 'leeren'"),
        (["info"], {"MESSLATTE_CACHE_GB": "viel"}, "error: MESSLATTE_CACHE_GB=viel: must be a number"),
    ):
        ended = python("-m", "pipelines.cache", *arguments, MESSLATTE_CACHE=str(tmp_path), **environment)
        assert ended.returncode == 2
        assert words in ended.stderr
