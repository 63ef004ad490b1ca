import json

import pytest
from tiny import point

from pipelines import names


@pytest.mark.parametrize(
    ("overrides", "name"),
    [
        (["reranker=cross-encoder"], "structure-256/32 · e5-small · hybrid · top 8 · reranker-de"),
        (
            ["chunking=fixed", "chunking.size=128", "chunking.overlap=0", "embedding=minilm", "reranker=none"],
            "fixed-128/0 · minilm · hybrid · top 8 · no reranker",
        ),
        (
            ["chunking=recursive", "embedding=bge-m3", "reranker=mmarco", "retrieval=dense", "retrieval.top_k=3"],
            "recursive-256/32 · bge-m3 · dense · top 3 · mmarco-mMiniLMv2-L12-H384-v1",
        ),
        (
            [
                "embedding.model=/models/eigenes",
                "retrieval=bm25",
                "reranker=cross-encoder",
                "reranker.model=modelle/mein-reranker",
            ],
            "structure-256/32 · eigenes · bm25 · top 8 · mein-reranker",
        ),
        # Weights say which lists are made, not the name of the choice.
        (["retrieval.dense_weight=0"], "structure-256/32 · e5-small · bm25 · top 8 · no reranker"),
    ],
)
def test_a_point_has_a_name_that_a_person_can_read(overrides: list[str], name: str) -> None:
    assert names.point(point(*overrides)) == name


def test_params_are_dotted_keys_and_a_section_says_what_fills_it() -> None:
    params = names.params(point("reranker=cross-encoder"))
    assert params["chunking"] == "structure"
    assert params["chunking.size"] == 256
    assert params["embedding"] == "e5-small"
    assert params["retrieval"] == "hybrid"
    assert params["reranker"] == "reranker-de"
    assert params["reranker.depth"] == 30
    assert params["measures.ks"] == [1, 3, 5, 8, 10]
    assert params["decline.below"] is None
    assert not [key for key in params if key.startswith("tracking") or key.endswith("_target_")]
    json.dumps(params)


def test_a_reranker_that_is_switched_off_has_no_params() -> None:
    params = names.params(point("reranker=none"))
    assert params["reranker"] == "none"
    assert not [key for key in params if key.startswith("reranker.")]


def test_nested_values_are_flattened() -> None:
    params = names.params(point("golden=datasets", "corpus=datasets"))
    assert params["golden.columns.question"] == "question"
    assert params["corpus.columns.text"] == "context"
