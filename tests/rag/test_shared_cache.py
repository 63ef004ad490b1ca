"""What needs no server; the rest is in tests/scale."""

from pathlib import Path

import pytest

from rag.cache import Cache
from rag.errors import InputError
from rag.shared_cache import STORE, open_cache


def test_the_file_is_the_cache_where_no_store_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(STORE, raising=False)
    monkeypatch.setenv("MESSLATTE_CACHE", str(tmp_path))
    cache = open_cache()
    assert isinstance(cache, Cache)
    assert cache.path == tmp_path / "cache.sqlite"


@pytest.mark.parametrize(
    "address",
    [
        "sqlite:////gibt/es/nicht.db",
        "postgresql+psycopg://lena:geheim@127.0.0.1:9/cache",  # nothing listens there
        "postgresql+gibtesnicht://lena:geheim@127.0.0.1/cache",
        "kein-server",
    ],
)
def test_a_store_that_cannot_be_used_is_one_line_without_its_password(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STORE, address)
    with pytest.raises(InputError) as refused:
        open_cache()
    assert str(refused.value).startswith(f"{STORE}: not usable (")
    assert "\n" not in str(refused.value)
    assert "geheim" not in str(refused.value)
