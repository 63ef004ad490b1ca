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
        ("zwei Wochen", "14", "tag"),
        ("14 Tagen", "14", "tag"),
        ("5\u00a0%", "5", "prozent"),
        ("24 Std. nach Meldung", "1440", "min"),
        ("65 l/h", "65", "l/h"),
        ("0,038 mg/m³", "0.038", "mg/cbm"),
        ("innerhalb eines Monats", "1", "monat"),
        ("4.000 BSt", "240000", "min"),
        ("75 EUR/Tag", "75", "eur"),
        ("8 AT", "8", "arbeitstag"),
        ("1,9 Mio. EUR", "1900000", "eur"),
        ("24-Monate-Folie", "24", "monat"),
        ("der 16-bar-Kessel", "16", "bar"),
        ("zweimal", "2", "mal"),
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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2 Wochen", "14 Tage"),
        ("1 Jahr", "12 Monate"),
        ("1,5 Stunden", "90 Minuten"),
        ("500 mbar", "0,5 bar"),
        ("2,5 cm", "25 mm"),
        ("0,5 t", "500 kg"),
        ("8 kHz", "8000 Hz"),
        ("2-mal", "zweimal"),
        ("1,5- bis 2,5-faches", "das 1,5- bis 2,5-fache"),
    ],
)
def test_two_ways_to_write_a_quantity_are_one(one, other):
    assert facts(one) == facts(other)


@pytest.mark.parametrize("text", ["bis 8:30 Uhr", "bis 08:30", "bis 8.30 Uhr"])
def test_a_clock_time_is_one_fact(text):
    assert facts(text).dates == {"8:30"}
    assert not facts(text).quantities


def test_whole_hours_and_months_of_a_year():
    assert facts("14 Uhr").dates == facts("14:00").dates == {"14:00"}
    assert facts("06/2026").dates == {"2026-06"}
    assert not facts("24/7, 13/2026").dates


def test_codes():
    assert facts("E17 an der TS-7: GD-2031, siehe RL-012").codes == {"e17", "ts7", "gd2031", "rl012"}
    assert not facts("E17").quantities


def test_words_are_stems_without_stop_words_and_numbers():
    assert facts("Die Prüfungen kosten 12 EUR").words == facts("prüfung kostet").words
