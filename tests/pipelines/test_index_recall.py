import numpy as np
import pytest
from omegaconf import OmegaConf
from tiny import SMALL, point

from pipelines import stages
from pipelines.index_recall import index_recall, recall
from rag.errors import InputError
from rag.records import Chunk, Hit


def hits(*scores: float) -> list[Hit]:
    return [Hit(Chunk("d", i, i + 1, "x", "d#s0"), i + 1, score) for i, score in enumerate(scores)]


def test_recall_by_hand() -> None:
    assert recall(hits(0.9, 0.7, 0.4), hits(0.9, 0.8, 0.7)) == 2 / 3  # 0.4 is not among the three best
    assert recall(hits(0.9, 0.7), hits(0.9, 0.8, 0.7)) == 2 / 3  # too short a list misses too
    assert recall(hits(0.9, 0.7, 0.7), hits(0.9, 0.7, 0.7)) == 1  # whichever of the equal ones


def test_exact_search_has_none() -> None:
    assert index_recall(point(*SMALL)) == {}


@pytest.mark.model
def test_a_graph_says_what_it_misses() -> None:
    cfg = point(*SMALL, "index=edge", "index.exact=false", "retrieval.depth=8")
    dense = [own.dense for own in stages.candidates(cfg)]
    exact = point(*SMALL, "index=edge", "retrieval.depth=8")
    pairs = zip(dense, (own.dense for own in stages.candidates(exact)), strict=True)
    assert index_recall(cfg) == {"index_recall": pytest.approx(np.mean([recall(*pair) for pair in pairs]))}


def test_local_mode_refuses_a_graph() -> None:
    with pytest.raises(InputError, match="local mode always searches exactly"):
        stages.location(point("index=memory", "index.exact=false"))


def test_stored_terms_find_what_the_matrix_finds() -> None:
    ours, theirs = (stages.lexical_index(point(*SMALL, lexical)) for lexical in ("lexical=german", "lexical=qdrant"))
    questions = [question.question for question in stages.golden(point(*SMALL)).questions]
    groups = [question.groups for question in stages.golden(point(*SMALL)).questions]
    pairs = zip(ours.search(questions, groups, 8), theirs.search(questions, groups, 8), strict=True)
    for one, two in pairs:
        assert [hit.score for hit in one] == pytest.approx([hit.score for hit in two], rel=1e-6)
    assert OmegaConf.to_container(point("lexical=qdrant").lexical) | {"_target_": ""} == OmegaConf.to_container(
        point("lexical=german").lexical
    ) | {"_target_": ""}
