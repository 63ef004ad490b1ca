"""References become spans, or are all listed with what is near."""

import unicodedata

import pytest
from golden_samples import document
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.evidence import resolve, try_resolve
from evaluation.quotes import places
from evaluation.records import Evidence, Question, Reference
from rag.corpus.passages import passage
from rag.errors import InputError
from rag.findings import Finding

FAQ = document(
    "faq_versand",
    ("versand", "# Versand", "\n"),
    ("kosten", "## Kosten", "Der Versand kostet 4,90 Euro.\nAb 50 Euro ist er frei.\n"),
    ("dauer", "## Dauer", "Zwei Tage. Ins Ausland:\u00a0fünf\n  Tage, für Inseln zwei Tage.\n"),
)


def question(*references: Reference) -> Question:
    return Question("f", "Was?", "Das.", references)


def one(reference: Reference) -> Evidence:
    (evidence,) = resolve([question(reference)], [FAQ])["f"]
    return evidence


def finding(reference: Reference, *documents: object) -> Finding:
    (found,) = try_resolve([question(reference)], documents or [FAQ]).findings  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize("name", ["s2", "kosten", "Kosten"])
@pytest.mark.parametrize("ending", ["", ".md", ".PDF"])
def test_section_by_id_or_slug(name: str, ending: str) -> None:
    start, end = FAQ.text.index("## Kosten"), FAQ.text.index("## Dauer")
    assert one(Reference("faq_versand" + ending, name)) == Evidence("faq_versand", start, end, "section")


def test_document_and_span() -> None:
    assert one(Reference("faq_versand")) == Evidence("faq_versand", 0, len(FAQ.text), "document")
    assert one(Reference("faq_versand", start=3, end=9)) == Evidence("faq_versand", 3, 9, "span")


@pytest.mark.parametrize("quote", ["Ausland:\u00a0fünf\n  Tage", "Ausland: fünf Tage", "Ausland:\tfu\u0308nf Tage "])
def test_quote_whatever_its_blanks_and_unicode_form(quote: str) -> None:
    evidence = one(Reference("faq_versand", quote=quote))
    assert FAQ.text[evidence.start : evidence.end] == "Ausland:\u00a0fünf\n  Tage"


def test_exact_quote_comes_first() -> None:
    assert places("zwei  Tage, zwei Tage", "zwei Tage") == [(12, 21)]
    assert places("zwei  Tage, zwei\nTage", "zwei Tage") == [(0, 10), (12, 21)]


def test_a_letter_is_not_half_of_its_umlaut() -> None:
    assert places("fu\u0308r", "f u") == []
    assert places("ein  fu\u0308 r", "ein fu") == []


@settings(deadline=None)
@given(st.text(alphabet="aüß \n\u0308\u1e9b\u0323가ﬁ"), st.data())
def test_every_part_is_found_in_the_other_unicode_form(text: str, data: st.DataObject) -> None:
    words = unicodedata.normalize("NFC", text).split()
    at = data.draw(st.integers(0, max(len(words) - 1, 0)))
    quote = " ".join(words[at : at + 2])
    if quote and not unicodedata.combining(quote[0]) and not any(unicodedata.combining(word[0]) for word in words):
        decomposed = unicodedata.normalize("NFD", text)
        found = places(decomposed, quote)
        assert found
        for start, end in found:
            assert " ".join(unicodedata.normalize("NFC", decomposed[start:end]).split()) == quote


def test_ambiguous_quote_lists_its_places() -> None:
    found = finding(Reference("faq_versand", quote="Euro"))
    first, second = FAQ.text.index("Euro"), FAQ.text.rindex("Euro")
    assert found.kind == "ambiguous quote"
    assert f"2 times in 'faq_versand', at {first}-{first + 4} (s2), {second}-{second + 4} (s2)" in found.problem


@pytest.mark.parametrize(
    ("reference", "kind", "remedy"),
    [
        (Reference("faq_versnad"), "unknown document", "nearest: faq_versand"),
        (Reference("faq_versand", "s9"), "unknown section", "nearest: s3, s2, s1"),
        (Reference("faq_versand", "kostn"), "unknown section", "nearest: kosten"),
        (Reference("faq_versand", "s1"), "empty section", "name a section with text: s2 'Kosten', s3 'Dauer'"),
        (Reference("faq_versand", quote="kostet nichts"), "unknown quote", "copy the quote"),
        (Reference("faq_versand", quote="ZWEI TAGE. ins"), "unknown quote", "but for case or ligatures it stands at"),
        (Reference("faq_versand", start=0, end=9999), "span outside", "count code points"),
    ],
)
def test_unresolvable_references_say_what_is_near(reference: Reference, kind: str, remedy: str) -> None:
    found = finding(reference)
    assert found.kind == kind
    assert remedy in found.remedy


def test_other_headings_without_text() -> None:
    underlined = document("d", ("a", "Titel", "=====\n\n"), ("b", "## Rest", "Text"))
    assert finding(Reference("d", "a"), underlined).kind == "empty section"
    assert finding(Reference("d"), passage("d", "")).kind == "empty document"


def test_ambiguous_slug() -> None:
    twice = document("d", ("x", "# X", "a\n"), ("x", "# X", "b\n"))
    found = finding(Reference("d", "x"), twice)
    assert (found.kind, found.remedy) == ("ambiguous section", "name one of s1, s2")


@pytest.mark.parametrize(
    ("text", "start", "remedy"),
    [
        ("am 9. Mai", 4, "it stands at 3-9, -1 characters off"),
        ("am 9. Mai, 9. Mai", 12, "it stands at 11-17, -1 characters off"),
        ("am 9.  Mai", 3, "it stands at 3-10, +0 characters off"),
        ("am 9. MAI", 3, "but for case or ligatures it stands at 3-9"),
        ("nie", 0, "it does not stand in the document"),
        ("am 9. Mai", 400, "it stands at 3-9, -397 characters off"),
    ],
)
def test_span_that_does_not_hold_its_answer(text: str, start: int, remedy: str) -> None:
    reference = Reference("d", quote="9. Mai", start=start, end=start + 6)
    found = finding(reference, passage("d", text))
    assert (found.kind, found.remedy.removesuffix(" (s0)")) == ("span off", remedy)


def test_ligature_in_the_document() -> None:
    found = finding(Reference("d", quote="Pflicht", start=4, end=11), passage("d", "Die Pﬂicht."))
    assert found.remedy == "but for case or ligatures it stands at 4-10 (s0)"


def test_the_same_span_counts_once_and_order_is_kept() -> None:
    references = [Reference("faq_versand", name) for name in ("dauer", "s3", "s2", "kosten")]
    evidence = resolve([question(*references)], [FAQ])["f"]
    assert [piece.start for piece in evidence] == [FAQ.sections[2].start, FAQ.sections[1].start]


def test_document_ids_in_either_unicode_form() -> None:
    decomposed = passage(unicodedata.normalize("NFD", "gebühren"), "Text")
    (evidence,) = resolve([question(Reference("gebühren.md"))], [decomposed])["f"]
    assert evidence.document == decomposed.id


def test_all_are_listed_and_the_question_is_left_out_whole() -> None:
    questions = [
        question(Reference("faq_versand"), Reference("a"), Reference("faq_versand", "b")),
        Question("g", "?", "x", (Reference("faq_versand"),)),
        Question("h", "?", "x"),
    ]
    resolution = try_resolve(questions, [FAQ])
    assert list(resolution.evidence) == ["g", "h"]
    assert resolution.evidence["h"] == ()
    with pytest.raises(
        InputError, match=r"2 unusable \(1 x unknown document, 1 x unknown section\): question f: .*'b'"
    ):
        resolve(questions, [FAQ])


def test_the_error_is_one_line_whatever_is_in_an_id() -> None:
    with pytest.raises(InputError) as raised:
        resolve([Question("f\n\u2028g", "?", "x", (Reference("a\nb", "c\n"),))], [FAQ])
    assert len(str(raised.value).splitlines()) == 1


ANY = st.text(alphabet="#s1aä\u0308 .md", max_size=6)
REFERENCES = st.builds(Reference, ANY, ANY, ANY) | st.builds(
    Reference, st.sampled_from(["faq_versand", "x"]), start=st.integers(0, 99), end=st.integers(1, 10**30), quote=ANY
)


@settings(deadline=None)
@given(st.lists(REFERENCES))
def test_any_reference_is_evidence_or_a_finding(references: list[Reference]) -> None:
    questions = [Question(str(n), "?", "x", (reference,)) for n, reference in enumerate(references)]
    resolution = try_resolve(questions, [FAQ])
    assert len(resolution.evidence) + len(resolution.findings) == len(questions)
