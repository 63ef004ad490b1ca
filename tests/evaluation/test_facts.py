from decimal import Decimal

import pytest

from evaluation.facts import facts


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("1.250,00 EUR", "1250", "eur"),
        ("1250 €", "1250", "eur"),
        ("1 250 Euro", "1250", "eur"),
        ("12,5 bar", "12.5", "bar"),
        ("12.5 bar", "12.5", "bar"),
        ("10bar", "10", "bar"),
        ("1.250", "1250", ""),
        ("zwei Wochen", "2", "woche"),
        ("14 Tagen", "14", "tag"),
        ("5\u00a0%", "5", "prozent"),
        ("24 Std. nach Meldung", "24", "h"),
        ("65 l/h", "65", "l/h"),
    ],
)
def test_a_quantity_has_one_form(text, value, unit):
    assert facts(text).quantities == {(Decimal(value).normalize(), unit)}


@pytest.mark.parametrize("text", ["01.03.2025", "1.3.2025", "1. März 2025"])
def test_a_date_has_one_form(text):
    assert facts(text).dates == {"2025-03-01"}
    assert not facts(text).quantities


def test_a_date_without_year():
    assert facts("bis 31. Mai").dates == facts("bis 31.05.").dates == {"--05-31"}


def test_codes():
    assert facts("E17 an der TS-7: GD-2031, siehe RL-012").codes == {"e17", "ts7", "gd2031", "rl012"}
    assert not facts("E17").quantities


def test_words_are_stems_without_stop_words_and_numbers():
    assert facts("Die Prüfungen kosten 12 EUR").words == facts("prüfung kostet").words
