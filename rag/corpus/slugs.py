"""Heading slugs as GitHub makes them."""

import unicodedata


class Slugs:
    """Slugs of one document, in order: lower case, punctuation dropped, spaces to hyphens, a repeated one gets -1, -2.

    Composed form (NFC), so that a slug typed by hand finds a heading of a decomposed text.
    Source: https://github.com/Flet/github-slugger (the counter included: a slug that exists already is skipped).
    """

    def __init__(self) -> None:
        self._used: dict[str, int] = {}

    def __call__(self, title: str) -> str:
        lowered = unicodedata.normalize("NFC", title).lower()
        base = "".join(char for char in lowered if char in "- " or _is_word(char)).replace(" ", "-")
        slug = base
        while slug in self._used:
            self._used[base] += 1
            slug = f"{base}-{self._used[base]}"
        self._used[slug] = 0
        return slug


def _is_word(char: str) -> bool:
    category = unicodedata.category(char)
    return category[0] in "LMN" or category == "Pc"
