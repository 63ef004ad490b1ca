"""python -m pipelines.cache info|clear

info     what is in the cache folder, how large it is, and its limit
clear    remove all of it, and say what was removed; refused while a sweep or a served model uses it

MESSLATTE_CACHE     the folder (default: messlatte in the user's cache)
MESSLATTE_CACHE_GB  limit of the results in gigabytes (default 10); what was not used for longest goes first
"""

import argparse
from collections.abc import Iterable

from pipelines.command import run
from rag.cache import cache_folder, cache_limit
from rag.cache_contents import OTHER, Item, clear, contents


def cache(arguments: list[str]) -> int:
    """Exit code 0. Raises InputError if the folder is in use and is to be cleared."""
    parser = argparse.ArgumentParser(
        prog="python -m pipelines.cache", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=("info", "clear"))
    action = parser.parse_args(arguments).action
    limit = cache_limit()
    items = contents() if action == "info" else clear()
    print(f"{cache_folder()}: {'' if action == 'info' else 'removed '}{_size(items)}")
    print("\n".join(_lines(items)) if items else "  nothing")
    if action == "info":
        print(f"  limit of the results: {limit / 1e9:g} GB (MESSLATTE_CACHE_GB)")
    return 0


def _lines(items: Iterable[Item]) -> Iterable[str]:
    for item in items:
        yield f"  {item.kind:<8}{_size([item]):>10}  {_words(item)}"


def _words(item: Item) -> str:
    if item.kind == "results":
        if item.entries is None:
            return "damaged, or of another release; clear removes it"
        return f"{item.entries:,} entries" + (f", not used for longest: since {item.oldest}" if item.oldest else "")
    if item.kind == "link":
        return f"{item.path.name} (only the link; what is behind it stays)"
    unfinished = " (unfinished, of a process that was stopped)" if item.path.name.startswith(".") else ""
    return item.path.name + (" (not ours, stays)" if item.kind == OTHER else unfinished)


def _size(items: Iterable[Item]) -> str:
    size = sum(item.bytes for item in items)
    return f"{size / 1e9:.2f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


if __name__ == "__main__":
    run(cache)
