"""The judges as the configuration makes them; neither asks anything before it judges."""

import pytest

from pipelines.config import make, points
from rag.errors import InputError


@pytest.mark.parametrize(
    ("choice", "name"),
    [("llm", "llm-1(model=qwen3:8b, prompt="), ("ragas", "deterministic-1(words=0.25, words_alone=0.6) + ragas-0.4")],
)
def test_a_judge_of_the_configuration(
    choice: str, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("MESSLATTE_CACHE", str(tmp_path_factory.mktemp("cache")))
    (cfg,) = points("config", [f"judge={choice}", "judge.model='qwen3:8b'", "judge.language=en"])
    judge = make(cfg.judge)
    assert judge.name.startswith(name)
    assert "language=en" in judge.name
    cfg.judge.language = "fr"
    with pytest.raises(InputError, match=r"judge\.language=fr: must be de or en"):
        make(cfg.judge)


def test_a_model_must_be_named() -> None:
    (cfg,) = points("config", ["judge=llm"])
    with pytest.raises(InputError, match=r"judge\.model has no value; set it, as in judge\.model=\.\.\."):
        make(cfg.judge)
