"""One bar for the whole command: how far, how long still, and what is being done."""

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from tqdm import tqdm


@dataclass
class _Shown:
    bar: tqdm
    characters: int | None
    points: int
    begun: int = 0
    point: str = ""
    read: set[int] = field(default_factory=set)  # hashes of what models have read

    def say(self, what: str) -> None:
        self.bar.set_description_str(f"{self.begun}/{self.points} {self.point}: {what}")


_shown: list[_Shown] = []  # the bar of the running command; a worker process has none


@contextmanager
def bar(characters: int | None, points: int) -> Iterator[None]:
    """Show progress over about `characters` that models read; stages report to it through `working`.

    None: nobody knows which points there will be, and the bar counts them.
    """
    shape = "{percentage:3.0f}% |{bar:20}| {elapsed} gone, {remaining} to go  {desc}"
    total = points if characters is None else characters
    with tqdm(total=total, bar_format=shape, smoothing=0.02, dynamic_ncols=True) as own:
        _shown.append(_Shown(own, characters, points))
        ended = threading.Event()

        def tick() -> None:
            while not ended.wait(1.0):
                own.refresh()

        if sys.stderr.isatty():  # in a file every second would be a line
            threading.Thread(target=tick, daemon=True).start()
        try:
            yield
            own.update(max(0, total - own.n))
        finally:
            ended.set()
            own.set_description_str("")
            _shown.clear()


@contextmanager
def point_bar(points: int) -> Iterator[Callable[[int], None]]:
    """Show progress over points that are computed elsewhere. The function given takes how many have ended."""
    shape = "{percentage:3.0f}% |{bar:20}| {elapsed} gone, {remaining} to go  {n_fmt}/{total_fmt} points"
    with tqdm(total=points, bar_format=shape, dynamic_ncols=True) as own:

        def show(ended: int) -> None:
            own.update(ended - own.n)

        yield show


@contextmanager
def at_point(name: str) -> Iterator[None]:
    """Say which point is worked on."""
    for shown in _shown:
        shown.begun += 1
        shown.point = name
        shown.say("starting")
    yield
    for shown in _shown:
        if shown.characters is None:
            shown.bar.update(1)


@contextmanager
def working(what: str, texts: Sequence[str] = (), reader: str = "") -> Iterator[Callable[[int], object]]:
    """Say what is being done. The function given counts texts done by the model `reader`.

    Each stands for the mean length of `texts`, where those that this model has read under the same bar count nothing.
    """
    length = 0.0

    def advance(count: int) -> None:
        for shown in _shown:
            if shown.characters is not None:
                shown.bar.update(min(round(count * length), shown.characters - shown.bar.n))

    for shown in _shown:
        fresh = {hash((reader, text)): len(text) for text in texts}
        fresh = {own: size for own, size in fresh.items() if own not in shown.read}
        shown.read.update(fresh)
        length = sum(fresh.values()) / max(1, len(texts))
        shown.say(f"{what} ({len(texts)})" if texts else what)
    yield advance
