"""What all tests share: one cache folder, so that the packaged models are unpacked once, not once a session."""

from collections.abc import Iterator

import pytest

from rag.cache import cache_folder


@pytest.fixture(scope="session", autouse=True)
def shared_cache() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MESSLATTE_CACHE", str(cache_folder()))
        yield
