"""A sweep shows that it is alive; sweeps that no longer do are closed, with the points that they left behind."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pipelines.tracking import Tracking

BEAT = 5.0  # seconds between two signs of life
SILENCE = 60.0  # seconds without one after which a sweep counts as dead
DEAD = "the command was killed; the same command completes what is missing"


@contextmanager
def watched(store: Tracking, sweep: str, look: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Give signs of life for a sweep and call `look` every few seconds, in a thread beside it."""
    ended = threading.Event()

    def beat() -> None:
        while not ended.is_set():
            try:
                store.beat(sweep)
                look()
            except Exception as error:  # a store that hiccups: the points say so if it stays away
                logging.debug("%s", error)
            ended.wait(BEAT)

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def close_dead(store: Tracking) -> None:
    """Close sweeps of this experiment that were killed, and their points: FAILED, with the cause."""
    for sweep in store.silent(SILENCE):
        for run in [*store.running(sweep.id), sweep]:
            store.fail(run, DEAD)
