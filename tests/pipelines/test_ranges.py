"""No number of a configuration may be one that means nothing: every one of them is tried."""

from collections.abc import Iterator
from typing import Any

import pytest
from omegaconf import OmegaConf
from tiny import MATERIAL, SMALL, point

from pipelines.plan import prepare
from rag.errors import InputError

# The choices that bring numbers of their own.
BASES = {
    "default": (*SMALL, "reranker=cross-encoder"),
    "recursive, fastembed": (*MATERIAL, "chunking=recursive", "embedding=fastembed"),
    "models": (*SMALL, "generator=openai", "generator.model=m", "judge=llm", "judge.model=m"),
    "ragas": (*SMALL, "judge=ragas", "judge.model=m"),
}
SHARES = (
    "decline.quantile",
    "measures.tau",
    "threshold.max_wrong_rate",
    "review.kappa",
    "reranker.blend",
    "judge.words",
)


def numbers(node: dict[str, Any], prefix: str = "") -> Iterator[str]:
    for key, value in node.items():
        if isinstance(value, dict):
            yield from numbers(value, f"{prefix}{key}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{prefix}{key}"


def cases() -> Iterator[tuple[str, str, int]]:
    known: set[str] = set()
    for base, overrides in BASES.items():
        settings: Any = OmegaConf.to_container(point(*overrides), resolve=True)
        del settings["gate"]  # checked by pipelines.gate
        fresh = [key for key in numbers(settings) if key not in known]  # without a reranker its numbers do not count
        known.update(fresh)
        yield from ((base, key, -5) for key in fresh)
    yield from (("default", key, 3) for key in SHARES)


@pytest.mark.parametrize(("base", "key", "value"), cases())
def test_a_number_that_means_nothing_is_one_line(base: str, key: str, value: int) -> None:
    with pytest.raises(InputError) as error:
        prepare([point(*BASES[base], f"{key}={value}")])
    assert "\n" not in str(error.value)
    assert key.rpartition(".")[2] in str(error.value)


@pytest.mark.parametrize("override", ["review.kappa=-1", "review.kappa=1", "measures.questions_per_month=0"])
def test_the_ends_of_a_range_are_in_it(override: str) -> None:
    key, _, value = override.partition("=")
    assert OmegaConf.select(point(*SMALL, override), key) == int(value)


def test_a_name_that_an_endpoint_has_besides_is_checked_too() -> None:
    with pytest.raises(InputError, match=r"generator\.parameters\.max_completion_tokens=0: must be 1 or more"):
        point("generator=openai", "generator.model=m", "+generator.parameters.max_completion_tokens=0")
