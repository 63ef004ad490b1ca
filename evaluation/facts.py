"""The facts of a short German or English answer: quantities, dates, codes and content words, written one way."""

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from rag.lexical import Analyzer

UNITS = {
    "eur": "eur", "euro": "eur", "€": "eur", "%": "prozent", "prozent": "prozent", "percent": "prozent",
    "sekunde": "s", "sekunden": "s", "s": "s", "minute": "min", "minuten": "min", "min": "min",
    "stunde": "h", "stunden": "h", "std": "h", "h": "h", "hours": "h", "hour": "h",
    "betriebsstunde": "h", "betriebsstunden": "h", "bst": "h",
    "tag": "tag", "tage": "tag", "tagen": "tag", "tages": "tag", "day": "tag", "days": "tag",
    "arbeitstag": "arbeitstag", "arbeitstage": "arbeitstag", "arbeitstagen": "arbeitstag", "at": "arbeitstag",
    "werktag": "werktag", "werktage": "werktag", "werktagen": "werktag",
    "kalendertag": "tag", "kalendertage": "tag", "kalendertagen": "tag",
    "woche": "woche", "wochen": "woche", "week": "woche", "weeks": "woche",
    "monat": "monat", "monate": "monat", "monaten": "monat", "monats": "monat", "month": "monat", "months": "monat",
    "jahr": "jahr", "jahre": "jahr", "jahren": "jahr", "jahres": "jahr", "year": "jahr", "years": "jahr",
    "bar": "bar", "mbar": "mbar", "nm": "nm", "kw": "kw", "v": "v", "a": "a", "l": "l", "liter": "l", "l/h": "l/h",
    "mg/l": "mg/l", "mg/cbm": "mg/cbm", "cbm/h": "cbm/h", "mm/s": "mm/s", "hz": "hz", "khz": "khz", "kn": "kn",
    "mm": "mm", "cm": "cm", "m": "m", "km": "km", "kg": "kg", "g": "g", "t": "t", "°c": "°c", "grad": "°c",
    "mal": "mal", "x": "mal", "times": "mal",
}  # fmt: skip
SAME: dict[str, tuple[str, int | Decimal]] = {  # the unit that a unit is written in, and how many of it
    "woche": ("tag", 7), "jahr": ("monat", 12), "h": ("min", 60), "mbar": ("bar", Decimal("0.001")),
    "cm": ("mm", 10), "m": ("mm", 1000), "km": ("mm", 1_000_000), "kg": ("g", 1000), "t": ("g", 1_000_000),
    "khz": ("hz", 1000),
}  # fmt: skip
SCALES = {"tsd": 1000, "tausend": 1000, "mio": 1_000_000, "million": 1_000_000, "millionen": 1_000_000}
NUMBER_WORDS = {
    **dict.fromkeys(("ein", "eine", "einen", "einem", "einer", "eines", "one"), 1),
    "null": 0, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10,
    "elf": 11, "zwölf": 12, "vierzehn": 14, "fünfzehn": 15, "zwanzig": 20, "dreißig": 30, "two": 2, "three": 3,
    "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
}  # fmt: skip
MONTHS = (
    *("januar", "februar", "märz", "april", "mai", "juni"),
    *("juli", "august", "september", "oktober", "november", "dezember"),
)
DATE = re.compile(rf"\b(\d{{1,2}})\.\s?(?:(\d{{1,2}})\.|({'|'.join(MONTHS)})\b)\s?(\d{{4}})?")
MONTH = re.compile(r"(?<![\w/.-])(0?[1-9]|1[0-2])/((?:19|20)\d\d)(?![\w/-])")
CLOCK = re.compile(r"(?<![\w.,:])(\d{1,2})(?::(\d{2})(?![\w:])(?:\s*uhr\b)?|(?:\.(\d{2}))?\s*uhr\b)")
JOINED = re.compile(r"(?<![\w./-])(\d+(?:,\d+)?)-(?=\s|[^\W\d_]{2})")  # "24-Monate-Folie", "1,5- bis 2-fach"
CODE = re.compile(r"\b(?=[\w./-]*\d)(?=[\w./-]*[^\W\d_])[^\W_]+(?:[-/.][^\W_]+)*\b")
QUANTITY = re.compile(
    r"(?<![\w.,])(\d{1,3}(?:[. \u00a0\u202f]\d{3})+(?:,\d+)?|\d+(?:[.,]\d+)?)(?!\w)"  # the number
    rf"(?:\s*({'|'.join(SCALES)})\b\.?)?"
    r"\s*(°c|[^\W\d_]+(?:/[^\W\d_]+)?|%|€)?"  # its unit
)
WORDED = re.compile(rf"\b({'|'.join(NUMBER_WORDS)})\s+({'|'.join(u for u in UNITS if u.isalpha() and len(u) > 2)})\b")
TIMES = re.compile(rf"\b({'|'.join(word for word, n in NUMBER_WORDS.items() if n > 1)})mal\b")  # "einmal" is "once"
CONTENT = Analyzer(compounds=False)


@dataclass(frozen=True, slots=True)
class Facts:
    """`quantities`: (value, unit), unit "" if none stands there, time, length, mass and pressure in one unit each
    where the conversion is exact. Dates: `2025-03-01`, `--03-01`, `2025-03`, and clock times `8:30`.

    Codes are lower case and without hyphens; words are stems without stop words.
    """

    quantities: frozenset[tuple[Decimal, str]]
    dates: frozenset[str]
    codes: frozenset[str]
    words: frozenset[str]


@lru_cache(maxsize=100_000)  # the points of a sweep are judged on the same questions, often with the same statements
def facts(text: str) -> Facts:
    """Read the facts off a text.

    `1.250,00 EUR`, `1250 €` and `1 250 Euro` are one quantity; `zwei Wochen` is `14 Tage`.
    """
    # The superscript is part of the unit; NFKC would make a code of "m3".
    rest = unicodedata.normalize("NFKC", text.replace("m³", "cbm").replace("m²", "qm")).lower()
    rest = JOINED.sub(r"\1 ", rest)
    dates, codes, quantities = set(), set(), set()

    def date(match: re.Match[str]) -> str:
        day, number, name, year = match.groups()
        month = int(number) if number else MONTHS.index(name) + 1
        dates.add(f"{year or '-'}-{month:02d}-{int(day):02d}")
        return " "

    def month(match: re.Match[str]) -> str:
        dates.add(f"{match[2]}-{int(match[1]):02d}")
        return " "

    def clock(match: re.Match[str]) -> str:
        dates.add(f"{int(match[1])}:{match[2] or match[3] or '00'}")
        return " "

    def code(match: re.Match[str]) -> str:
        unit = re.fullmatch(r"(\d+)([^\W\d]+)", match[0])
        if unit and unit[2] in UNITS:  # "10bar" is a quantity
            return f"{unit[1]} {unit[2]}"
        codes.add(re.sub(r"[-/.]", "", match[0]))
        return " "

    def quantity(match: re.Match[str]) -> str:
        number, scale, said = match.groups()
        said = said or ""
        unit = UNITS.get(said) or UNITS.get(said.split("/")[0], "")  # "75 EUR/Tag" is 75 EUR
        quantities.add(_quantity(_decimal(number) * SCALES.get(scale, 1), unit))
        return " " if unit else f" {said} "

    def worded(match: re.Match[str]) -> str:
        quantities.add(_quantity(Decimal(NUMBER_WORDS[match[1]]), UNITS[match[2]]))
        return " "

    def times(match: re.Match[str]) -> str:
        quantities.add((Decimal(NUMBER_WORDS[match[1]]), "mal"))
        return " "

    for pattern, read in (
        *((DATE, date), (MONTH, month), (CLOCK, clock), (CODE, code)),
        *((QUANTITY, quantity), (WORDED, worded), (TIMES, times)),
    ):
        rest = pattern.sub(read, rest)
    return Facts(frozenset(quantities), frozenset(dates), frozenset(codes), frozenset(CONTENT(rest)))


def _quantity(value: Decimal, unit: str) -> tuple[Decimal, str]:
    base, factor = SAME.get(unit, (unit, 1))
    return (value * factor).normalize(), base


def _decimal(number: str) -> Decimal:
    """German first: a dot before exactly three digits groups thousands, a comma is the decimal mark."""
    digits = re.sub(r"[ \u00a0\u202f]", "", number)
    if "," in digits or re.fullmatch(r"\d{1,3}(?:\.\d{3})+", digits):
        digits = digits.replace(".", "").replace(",", ".")
    return Decimal(digits).normalize()
