"""One bar for the whole sweep: how far, how long still, and what is being done."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm

_bars: list[tqdm] = []  # the bar of the running command, if it has one


@contextmanager
def bar(total: int) -> Iterator[tqdm]:
    """A bar over `total` texts that go through a model; stages report to it through `working`."""
    shape = "{percentage:3.0f}% |{bar:24}| {elapsed} gone, {remaining} to go  {desc}"
    with tqdm(total=total, bar_format=shape, smoothing=0.05, dynamic_ncols=True) as own:
        _bars.append(own)
        try:
            yield own
        finally:
            _bars.remove(own)


def name(point: str) -> None:
    """Say which point is worked on."""
    for own in _bars:
        own.point = point
        own.set_description_str(point)


@contextmanager
def working(what: str, texts: int = 0) -> Iterator[Callable[[int], object]]:
    """Say what is being done. The function given counts texts done; on leaving, all `texts` count as done."""
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        for own in _bars:
            own.update(count)

    for own in _bars:
        own.set_description_str(f"{getattr(own, 'point', '')}: {what}")
    yield advance
    advance(texts - done)
