"""German compounds taken apart into words that a German word list knows."""

from functools import lru_cache

SHORTEST = 4  # shorter parts ("ur" + "laub", "ab" + "teilung") are mostly prefixes and suffixes, not words
LONGEST = 100  # longer ones are no words but data; cutting them takes the square of their length
LINKS = ("", "s", "es", "n", "en", "er", "e")  # what German puts between two parts


@lru_cache(maxsize=200_000)
def split_compound(word: str) -> tuple[str, ...]:
    """`druckbehälterprüfung` -> `("druck", "behälter", "prüfung")`; `()` for what is no compound.

    Every part stands in simplemma's German word list. Of all ways to cut, the one with the fewest parts wins, then the
    one with the longest last part, which carries the meaning; a part that is a compound is followed by its parts.
    """
    parts = _cut(word) if len(word) <= LONGEST else ()
    return tuple(term for part in parts for term in (part, *split_compound(part)))


@lru_cache(maxsize=200_000)
def _cut(word: str) -> tuple[str, ...]:
    ways = []
    for end in range(SHORTEST, len(word) - SHORTEST + 1):
        if head := _without_link(word[:end]):
            tail = (word[end:],) if _known(word[end:]) else _cut(word[end:])
            if tail:
                ways.append((head, *tail))
    return min(ways, key=lambda parts: (len(parts), -len(parts[-1])), default=())


def _without_link(head: str) -> str:
    stems = (head.removesuffix(link) for link in LINKS if head.endswith(link))
    return next((stem for stem in stems if len(stem) >= SHORTEST and _known(stem)), "")


@lru_cache(maxsize=200_000)
def _known(word: str) -> bool:
    import simplemma

    return simplemma.is_known(word, lang="de")
