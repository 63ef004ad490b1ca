"""The facts of a short German or English answer: quantities, dates, codes and content words, written one way."""

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal

from rag.lexical import Analyzer

UNITS = {
    "eur": "eur", "euro": "eur", "€": "eur", "%": "prozent", "prozent": "prozent", "percent": "prozent",
    "sekunde": "s", "sekunden": "s", "s": "s", "minute": "min", "minuten": "min", "min": "min",
    "stunde": "h", "stunden": "h", "std": "h", "h": "h", "hours": "h", "hour": "h",
    "tag": "tag", "tage": "tag", "tagen": "tag", "day": "tag", "days": "tag",
    "arbeitstag": "arbeitstag", "arbeitstage": "arbeitstag", "arbeitstagen": "arbeitstag",
    "werktag": "werktag", "werktage": "werktag", "werktagen": "werktag",
    "kalendertag": "tag", "kalendertage": "tag", "kalendertagen": "tag",
    "woche": "woche", "wochen": "woche", "week": "woche", "weeks": "woche",
    "monat": "monat", "monate": "monat", "monaten": "monat", "month": "monat", "months": "monat",
    "jahr": "jahr", "jahre": "jahr", "jahren": "jahr", "year": "jahr", "years": "jahr",
    "bar": "bar", "mbar": "mbar", "nm": "nm", "kw": "kw", "v": "v", "a": "a", "l": "l", "liter": "l", "l/h": "l/h",
    "mm": "mm", "cm": "cm", "m": "m", "km": "km", "kg": "kg", "g": "g", "t": "t", "°c": "°c", "grad": "°c",
}  # fmt: skip
NUMBER_WORDS = {
    "null": 0, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10,
    "elf": 11, "zwölf": 12, "vierzehn": 14, "fünfzehn": 15, "zwanzig": 20, "dreißig": 30, "two": 2, "three": 3,
    "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
}  # fmt: skip
MONTHS = (
    *("januar", "februar", "märz", "april", "mai", "juni"),
    *("juli", "august", "september", "oktober", "november", "dezember"),
)
DATE = re.compile(rf"\b(\d{{1,2}})\.\s?(?:(\d{{1,2}})\.|({'|'.join(MONTHS)})\b)\s?(\d{{4}})?")
CODE = re.compile(r"\b(?=[\w./-]*\d)(?=[\w./-]*[^\W\d_])[^\W_]+(?:[-/.][^\W_]+)*\b")
QUANTITY = re.compile(
    r"(?<![\w.,])(\d{1,3}(?:[. \u00a0\u202f]\d{3})+(?:,\d+)?|\d+(?:[.,]\d+)?)(?!\w)"  # the number
    r"\s*(l/h|°c|[^\W\d_]+|%|€)?"  # its unit
)
WORDED = re.compile(rf"\b({'|'.join(NUMBER_WORDS)})\s+({'|'.join(u for u in UNITS if u.isalpha())})\b")
CONTENT = Analyzer(compounds=False)


@dataclass(frozen=True, slots=True)
class Facts:
    """`quantities`: (value, unit), unit "" if none stands there. Dates: `2025-03-01` or `--03-01`.

    Codes are lower case and without hyphens; words are stems without stop words.
    """

    quantities: frozenset[tuple[Decimal, str]]
    dates: frozenset[str]
    codes: frozenset[str]
    words: frozenset[str]


def facts(text: str) -> Facts:
    """Read the facts off a text.

    `1.250,00 EUR`, `1250 €` and `1 250 Euro` are one quantity; `zwei Wochen` is `2 Wochen`.
    """
    rest = unicodedata.normalize("NFKC", text).lower()
    dates, codes, quantities = set(), set(), set()

    def date(match: re.Match[str]) -> str:
        day, number, name, year = match.groups()
        month = int(number) if number else MONTHS.index(name) + 1
        dates.add(f"{year or '-'}-{month:02d}-{int(day):02d}")
        return " "

    def code(match: re.Match[str]) -> str:
        unit = re.fullmatch(r"(\d+)([^\W\d]+)", match[0])
        if unit and unit[2] in UNITS:  # "10bar" is a quantity
            return f"{unit[1]} {unit[2]}"
        codes.add(re.sub(r"[-/.]", "", match[0]))
        return " "

    def quantity(match: re.Match[str]) -> str:
        unit = UNITS.get(match[2] or "", "")
        quantities.add((_decimal(match[1]), unit))
        return " " if unit else f" {match[2] or ''} "

    def worded(match: re.Match[str]) -> str:
        quantities.add((Decimal(NUMBER_WORDS[match[1]]), UNITS[match[2]]))
        return " "

    for pattern, read in ((DATE, date), (CODE, code), (QUANTITY, quantity), (WORDED, worded)):
        rest = pattern.sub(read, rest)
    return Facts(frozenset(quantities), frozenset(dates), frozenset(codes), frozenset(CONTENT(rest)))


def _decimal(number: str) -> Decimal:
    """German first: a dot before exactly three digits groups thousands, a comma is the decimal mark."""
    digits = re.sub(r"[ \u00a0\u202f]", "", number)
    if "," in digits or re.fullmatch(r"\d{1,3}(?:\.\d{3})+", digits):
        digits = digits.replace(".", "").replace(",", ".")
    return Decimal(digits).normalize()
