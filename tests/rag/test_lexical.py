import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from rag.lexical import BM25, Analyzer
from rag.lexical.bm25 import _PositiveOkapi
from rag.lexical.compounds import split_compound


@pytest.mark.parametrize(
    ("compound", "parts"),
    [
        ("druckbehälterprüfung", ("druckbehälter", "druck", "behälter", "prüfung")),
        ("prüffristen", ("prüf", "fristen")),
        ("arbeitszeit", ("arbeits", "zeit")),
        ("gleitringdichtung", ("gleit", "ring", "dichtung")),
        ("urlaub", ()),
        ("abteilung", ()),
        ("mitarbeiter", ()),
        ("verfahren", ()),
        ("e17", ()),
    ],
)
def test_compounds_split_into_known_words_only(compound, parts):
    assert split_compound(compound) == parts


def test_a_part_finds_its_compound():
    analyze = Analyzer()
    assert set(analyze("Prüfung")) <= set(analyze("Druckbehälterprüfung"))
    assert not set(Analyzer(compounds=False)("Prüfung")) & set(Analyzer(compounds=False)("Druckbehälterprüfung"))


@pytest.mark.parametrize("spelling", ["Prüfung", "PRÜFUNG", "pruefung", "Pru\u0308fung", "Prüfungen"])
def test_spellings_of_one_word_are_one_term(spelling):
    assert Analyzer()(spelling) == Analyzer()("Prüfung")


def test_sharp_s_and_umlauts_fold_without_a_stemmer():
    analyze = Analyzer(language="none")
    assert analyze("Straße größer") == analyze("STRASSE groesser") == ["strasse", "groesser"]


def test_codes_stay_whole_words():
    analyze = Analyzer(stemming=False, codes=False)
    assert analyze("Fehler E17, Teil GD-2031") == ["fehler", "e17", "teil", "gd", "2031"]


@pytest.mark.parametrize("spelling", ["KP-350", "kp-350", "KP 350", "kp350", "die 350er"])
def test_a_code_is_found_however_it_is_written(spelling):
    document = set(Analyzer()("Kreiselpumpe KP-350 S"))
    assert document & set(Analyzer()(spelling))
    assert not document & set(Analyzer()("KP-200")) - {"kp"}


def test_english():
    assert Analyzer(language="english")("The pumps were inspected") == ["pump", "inspect"]


PASSAGES = [["pumpe", "pumpe", "druck"], ["pumpe", "leck"], ["pumpe"], ["urlaub", "antrag", "urlaub"], []]
QUESTIONS = [["pumpe", "druck"], ["urlaub"], ["urlaub", "urlaub"], ["nichts"], []]


def test_scores_equal_rank_bm25():
    expected = _PositiveOkapi([terms or [""] for terms in PASSAGES])
    own = BM25(PASSAGES)
    for question in QUESTIONS:
        np.testing.assert_allclose(
            own.scores(question), expected.get_scores(question) if question else np.zeros(5), atol=1e-12
        )


def test_a_rare_term_scores_as_plain_okapi_up_to_its_idf():
    passages = [["a", "b"], ["c", "d"], ["e", "f"]]
    plain, own = BM25Okapi(passages), BM25(passages)
    # one passage of three holds the term: Robertson log(2.5 / 1.5), Lucene log(1 + 2.5 / 1.5)
    ratio = np.log(1 + 2.5 / 1.5) / np.log(2.5 / 1.5)
    np.testing.assert_allclose(own.scores(["a"]), plain.get_scores(["a"]) * ratio)


def test_a_term_of_every_passage_still_scores_above_zero_on_a_tiny_corpus():
    scores = BM25([["pumpe", "leck"], ["pumpe"]]).scores(["pumpe"])
    assert (scores > 0).all()


def test_no_shared_term_is_exactly_zero():
    assert BM25(PASSAGES).scores(["urlaub"]).tolist()[:3] == [0.0, 0.0, 0.0]


def test_passages_without_any_term():
    assert BM25([[], []]).scores(["pumpe"]).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("text", ["donaudampf" * 5000, "1234567890" * 20_000])
def test_data_without_blanks_is_one_term(text: str) -> None:
    assert Analyzer(stemming=False)(text) == [text]  # taken apart, it would recurse without end and take hours
