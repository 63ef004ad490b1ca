"""The judges as the configuration makes them; neither asks anything before it judges."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from omegaconf import OmegaConf
from tiny import empty_cache, point, workplace

from pipelines.config import assemble, points
from pipelines.judging import judge
from rag.errors import InputError


@pytest.fixture
def _own_cache(tmp_path: Path) -> Iterator[None]:
    with workplace(tmp_path) as patch, empty_cache(patch, tmp_path / "cache"):
        yield


@pytest.mark.usefixtures("_own_cache")
@pytest.mark.parametrize(
    ("choice", "name"),
    [("llm", "llm-1(model=qwen3:8b, prompt="), ("ragas", "deterministic-2(words=0.25, words_alone=0.6) + ragas-0.4")],
)
def test_a_judge_of_the_configuration(choice: str, name: str) -> None:
    own = judge(point(f"judge={choice}", "judge.model='qwen3:8b'", "judge.language=en"))
    assert own.name.startswith(name)
    assert "language=en" in own.name
    assert '"temperature": 0.0' in own.name
    assert own.prompt_hash
    with pytest.raises(InputError, match=r"judge\.language=fr: must be de or en"):
        judge(point(f"judge={choice}", "judge.model=m", "judge.language=fr"))


def test_a_model_must_be_named() -> None:
    with pytest.raises(InputError, match=r"judge\.model has no value; set it, as in judge\.model=\.\.\."):
        points("config", ["judge=llm"])


def test_a_file_with_a_key_too_many_is_one_line() -> None:
    cfg = point("generator=openai", "generator.model=m", "+generator.parameters.seed=1")
    generator = OmegaConf.create({**cfg.generator, "concurency": 4})
    with pytest.raises(InputError, match=r"rag\.answering\.Chat: .*concurency"):
        assemble(generator)


@pytest.mark.parametrize("section", ["generator", "judge"])
def test_a_price_is_not_negative(section: str) -> None:
    choice = {"generator": "openai", "judge": "llm"}[section]
    cfg = point(f"{section}={choice}", f"{section}.model=m", f"{section}.price.output=-1.0")
    with pytest.raises(InputError, match=r"price\.output=-1\.0: a price is 0 or more"):
        assemble(cfg[section])
