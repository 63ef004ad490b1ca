import threading
from pathlib import Path

from rag.cache import Cache
from rag.once import once


def test_the_second_waits_for_the_first(tmp_path: Path) -> None:
    cache, held, events = Cache(tmp_path / "cache.sqlite"), threading.Event(), list[str]()

    def first() -> None:
        with once(cache, "statements"):
            held.set()
            waiting.join(timeout=0.3)  # the second one has every chance to come in
            events.append("first")

    def second() -> None:
        held.wait()
        with once(cache, "statements"):
            events.append("second")

    waiting = threading.Thread(target=second)
    threads = [waiting, threading.Thread(target=first)]  # who waits is there before anyone can wait for it
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert events == ["first", "second"]


def test_other_work_does_not_wait(tmp_path: Path) -> None:
    cache, done = Cache(tmp_path / "cache.sqlite"), threading.Event()

    def other() -> None:
        with once(cache, "scores"):
            done.set()

    with once(cache, "statements"):
        thread = threading.Thread(target=other)
        thread.start()
        assert done.wait(timeout=30)
    thread.join()
