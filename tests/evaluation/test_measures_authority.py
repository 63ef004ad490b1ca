"""Where one chunk is one section, the numbers are those of the plain set functions and of ir_measures."""

import json
import random
import re
import unicodedata
from itertools import pairwise
from pathlib import Path

import ir_measures
import pytest
from ir_measures import AP, RR, P, Qrel, R, ScoredDoc, Success, nDCG

from evaluation.measures import question_measures
from evaluation.records import Evidence
from evaluation.relevance import cut_apart
from rag.records import Chunk, Hit

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
KS = (1, 3, 5, 8, 10)
AUTHORITY = {
    "mrr": RR,
    "map": AP,
    **{f"recall_at_{k}": R @ k for k in KS},
    **{f"precision_at_{k}": P @ k for k in KS},
    **{f"hit_rate_at_{k}": Success @ k for k in KS},
    **{f"ndcg_at_{k}": nDCG @ k for k in KS},
}

Gold = dict[str, dict[Evidence, Chunk]]  # per question its evidence and the one chunk that holds each piece
Rankings = dict[str, list[Chunk]]


def assert_same_as_authority(gold: Gold, rankings: Rankings) -> None:
    """No chunk may hold two pieces of evidence of one question."""
    qrels, run, relevant = [], [], {}
    for query, units in gold.items():
        relevant[query] = {chunk.id for chunk in units.values()}
        assert len(relevant[query]) == len(units)
        qrels += [Qrel(query, name, 1) for name in relevant[query]]
        run += [ScoredDoc(query, c.id, -rank) for rank, c in enumerate(rankings[query])]
    authority = {name: {} for name in AUTHORITY}
    names = {measure: name for name, measure in AUTHORITY.items()}
    for metric in ir_measures.iter_calc(AUTHORITY.values(), qrels, run):
        authority[names[metric.measure]][metric.query_id] = metric.value

    for query, units in gold.items():
        ids = [c.id for c in rankings[query]]
        hits = [Hit(c, rank, -rank) for rank, c in enumerate(rankings[query], start=1)]
        values = question_measures(list(units), hits, [1] * len(hits), ks=KS, budgets=())
        for k in KS:
            top_k = ids[:k]
            assert values[f"recall_at_{k}"] == len(set(top_k) & relevant[query]) / len(relevant[query])
            assert values[f"precision_at_{k}"] == sum(i in relevant[query] for i in top_k) / len(top_k)
        assert values["mrr"] == next((1 / rank for rank, i in enumerate(ids, 1) if i in relevant[query]), 0)
        for name in AUTHORITY:
            expected = authority[name][query]
            if name.startswith("precision"):  # trec_eval divides by k even when fewer chunks came back
                k = int(name.rpartition("_")[2])
                expected *= k / min(k, len(ids))
            assert values[name] == pytest.approx(expected, abs=1e-12), name


def as_sections(chunks: list[Chunk]) -> dict[Evidence, Chunk]:
    return {Evidence(c.document, c.start, c.end, "section"): c for c in chunks}


@pytest.mark.parametrize("seed", range(5))
def test_random_sections_and_rankings_short_and_long(seed: int) -> None:
    rng = random.Random(seed)
    corpus = [
        Chunk(f"d{n}", 100 * part, 100 * part + rng.randint(1, 100), "", f"d{n}#s{part}")
        for n in range(8)
        for part in range(4)
    ]
    # Questions are named like documents: some libraries drop such hits, here it means nothing.
    gold = {f"d{n}": as_sections(rng.sample(corpus, rng.randint(1, 12))) for n in range(8)}
    rankings = {query: rng.sample(corpus, rng.randint(1, len(corpus))) for query in gold}
    assert_same_as_authority(gold, rankings)


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", unicodedata.normalize("NFC", text).casefold()))


def by_shared_words(question: str, corpus: list[tuple[Chunk, set[str]]]) -> list[Chunk]:
    """A ranking that needs no model, with hits at many ranks and misses."""
    asked = words(question)
    return [chunk for chunk, has in sorted(corpus, key=lambda pair: -len(asked & pair[1]))[:50]]


def xquad(form: str) -> tuple[dict[str, str], list[Chunk], Gold]:
    """XQuAD-de with one document and one chunk a paragraph, text and answer spans in the given normal form."""
    file = SHARED / "xquad" / "xquad.de.json"
    if not file.exists():
        pytest.skip(f"{file} is not there: shared data is not part of the repository")
    questions: dict[str, str] = {}
    chunks: list[Chunk] = []
    gold: Gold = {}
    for article in json.loads(file.read_bytes())["data"]:
        for paragraph in article["paragraphs"]:
            context = paragraph["context"]
            text = unicodedata.normalize(form, context)
            document = f"p{len(chunks)}"
            chunks.append(Chunk(document, 0, len(text), text, f"{document}#s0"))
            for qa in paragraph["qas"]:
                (answer,) = qa["answers"]
                start = len(unicodedata.normalize(form, context[: answer["answer_start"]]))
                end = start + len(unicodedata.normalize(form, answer["text"]))
                questions[qa["id"]] = qa["question"]
                gold[qa["id"]] = {Evidence(document, start, end, "span"): chunks[-1]}
    return questions, chunks, gold


def test_xquad_with_whole_paragraphs() -> None:
    questions, chunks, gold = xquad("NFC")
    corpus = [(chunk, words(chunk.text)) for chunk in chunks]
    rankings = {query: by_shared_words(text, corpus) for query, text in questions.items()}
    assert len(gold) == 1190
    assert_same_as_authority(gold, rankings)


def test_gesetze_with_whole_sections() -> None:
    if not (SHARED / "gesetze").exists():
        pytest.skip(f"{SHARED / 'gesetze'} is not there: shared data is not part of the repository")
    chunks = []
    for file in sorted((SHARED / "gesetze").glob("*.md")):
        text = file.read_text(encoding="utf-8")
        starts = [0, *(match.start() for match in re.finditer(r"^#{1,6} ", text, re.MULTILINE)), len(text)]
        for n, (start, end) in enumerate(pairwise(starts)):
            if start < end:
                chunks.append(Chunk(file.stem, start, end, text[start:end], f"{file.stem}#s{n}"))
    assert len(chunks) > 500
    corpus = [(chunk, words(chunk.text)) for chunk in chunks]
    rng = random.Random(7)
    gold, rankings = {}, {}
    for query in [chunk.document for chunk in chunks[:1]] + [f"q{n}" for n in range(60)]:
        asked = rng.sample(chunks, rng.randint(1, 3))
        gold[query] = as_sections(asked)
        rankings[query] = by_shared_words(" ".join(chunk.text[:200] for chunk in asked), corpus)
    assert_same_as_authority(gold, rankings)


def windows(chunks: list[Chunk], plain: list[Chunk], form: str) -> list[Chunk]:
    """Each document in windows of 300 characters of its NFC text, at the same places in the given form."""
    cut = []
    for chunk, nfc in zip(chunks, plain, strict=True):
        at = [len(unicodedata.normalize(form, nfc.text[:start])) for start in (*range(0, nfc.end, 300), nfc.end)]
        cut += [Chunk(chunk.document, start, end, chunk.text[start:end], chunk.section) for start, end in pairwise(at)]
    return cut


def test_an_nfd_copy_gives_the_same_numbers() -> None:
    questions, nfc_chunks, nfc_gold = xquad("NFC")
    _, nfd_chunks, nfd_gold = xquad("NFD")
    assert sum(len(c.text) for c in nfd_chunks) > sum(len(c.text) for c in nfc_chunks)
    nfc, nfd = windows(nfc_chunks, nfc_chunks, "NFC"), windows(nfd_chunks, nfc_chunks, "NFD")
    twin = dict(zip(nfc, nfd, strict=True))
    corpus = [(chunk, words(chunk.text)) for chunk in nfc]
    cut = cut_apart([unit for units in nfc_gold.values() for unit in units], nfc, tau=1.0)
    whole = [query for query, units in nfc_gold.items() if not cut & units.keys()]
    assert len(whole) > 1000
    for query in whole[::10]:
        ranked = by_shared_words(questions[query], corpus)
        in_nfc, in_nfd = (
            question_measures(list(gold[query]), [Hit(c, rank, -rank) for rank, c in enumerate(order, 1)], [1] * 50)
            for gold, order in ((nfc_gold, ranked), (nfd_gold, [twin[chunk] for chunk in ranked]))
        )
        for name, value in in_nfc.items():
            # Shares of characters are shares of the text as it stands, where an NFD umlaut is two characters.
            slack = 0.05 if name.startswith(("char_precision", "char_iou")) else 0
            assert value == pytest.approx(in_nfd[name], abs=slack, rel=0), name
