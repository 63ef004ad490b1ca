from pathlib import Path

import pytest
from omegaconf import DictConfig
from tiny import SMALL, point

from pipelines import stages
from pipelines.config import points
from pipelines.plan import characters, prepare, sharing_order
from rag.errors import InputError


def lengths() -> tuple[int, int]:
    """Characters of all chunks as they are embedded, and of all documents."""
    cfg = point(*SMALL)
    chunks = sum(len(chunk.ranked_text) for chunk in stages.chunks(cfg))
    return chunks, sum(len(document.text) for document in stages.corpus(cfg).documents.values())


def test_a_point_reads_its_chunks_once_and_its_statements_once() -> None:
    chunks, documents = lengths()
    assert characters([point(*SMALL, "reranker=none")]) == chunks + documents


def test_another_top_k_reads_nothing_more() -> None:
    one = characters([point(*SMALL, "retrieval.top_k=4")])
    assert characters([point(*SMALL, f"retrieval.top_k={k}") for k in (4, 8)]) == one


def test_a_reranker_reads_depth_passages_for_each_question() -> None:
    chunks, documents = lengths()
    # 5 questions; 5 chunks, fewer than the depth of 30; with depth 2 two chunks of mean length each.
    assert characters([point(*SMALL, "reranker=cross-encoder")]) == chunks + documents + 5 * 5 * chunks // 5
    assert (
        characters([point(*SMALL, "reranker=cross-encoder", "reranker.depth=2")])
        == chunks + documents + 5 * 2 * chunks // 5
    )


def test_other_chunks_are_read_anew_but_statements_are_the_same() -> None:
    chunks, documents = lengths()
    twice = [point(*SMALL, "reranker=none"), point(*SMALL, "reranker=none", "chunking=fixed")]
    fixed = sum(len(chunk.ranked_text) for chunk in stages.chunks(twice[1]))
    assert characters(twice) == chunks + fixed + documents


def test_points_that_share_most_stand_side_by_side_and_else_keep_their_order() -> None:
    grid = points("config", [*SMALL, "retrieval.top_k=4,8", "reranker=none,cross-encoder", "chunking.size=32,64"])

    def reranks(cfg: DictConfig) -> bool:
        return cfg.reranker.get("_target_") is not None

    grid.sort(key=lambda cfg: (cfg.retrieval.top_k, reranks(cfg), cfg.chunking.size))
    assert [cfg.chunking.size for cfg in grid] == [32, 64] * 4  # no two neighbours share an index
    ordered = sharing_order(grid)
    assert [(cfg.chunking.size, reranks(cfg), cfg.retrieval.top_k) for cfg in ordered] == [
        (size, reranked, k) for size in (32, 64) for reranked in (False, True) for k in (4, 8)
    ]


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("measures.ks=[0]", r"measures\.ks"),
        ("measures.tau=0", r"measures\.tau"),
        ("decline.quantile=1", r"decline\.quantile=1"),
        ("decline.below=viel", r"decline\.below=viel"),
        ("lexical.language=latein", r"lexical\.language=latein"),
        ("golden.on_error=egal", r"golden\.on_error=egal"),
        ("reranker.depth=0", r"reranker\.depth"),
        ("retrieval.rrf_k=0", r"retrieval\.rrf_k=0"),
        ("index=server", r"QDRANT_URL is not set"),
    ],
)
def test_settings_that_make_no_sense_are_found_in_any_point(
    override: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("QDRANT_URL", raising=False)
    with pytest.raises(InputError, match=message):
        prepare([point(*SMALL), point(*SMALL, "reranker=cross-encoder", override)])


def test_questions_and_documents_of_different_people_are_named(tmp_path: Path) -> None:
    (tmp_path / "anderes.md").write_text("# Urlaub\n\n30 Tage im Jahr.\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"nothing that it refers to is in .*; do the two belong together\?"):
        prepare([point(*SMALL, f"corpus.path={tmp_path}")])
