"""A fingerprint changes with everything that could change a number, and with nothing else."""

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from omegaconf import DictConfig, OmegaConf, read_write
from tiny import DATA, SMALL, point

from pipelines import fingerprint as module
from pipelines import judging, stages
from pipelines.config import points
from pipelines.fingerprint import IRRELEVANT, code_hash, fingerprint

# The choices that bring keys of their own.
BASES = {
    "default": ("reranker=cross-encoder",),
    "data sets": ("corpus=datasets", "golden=datasets", "index=path", "reranker=cross-encoder"),
    "models": ("generator=openai", "generator.model=m", "judge=llm", "judge.model=m", "reranker=cross-encoder"),
    "ragas": ("judge=ragas", "judge.model=m", "reranker=cross-encoder"),
    "no reranker": ("reranker=none",),
    "graph": ("index=edge", "index.exact=false", "reranker=cross-encoder"),
}


def leaves(node: Any, prefix: str = "") -> dict[str, Any]:
    if not isinstance(node, dict):
        return {prefix: node}
    found: dict[str, Any] = {}
    for key, value in node.items():
        found.update(leaves(value, f"{prefix}.{key}".lstrip(".")))
    return found


def composed(base: str) -> dict[str, Any]:
    values = OmegaConf.to_container(point(*BASES[base]), resolve=True)
    return leaves(values)


def other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, list):
        return [*value, 7]
    return 0.5 if value is None else f"{value}x"


@pytest.fixture
def alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same contents and weights whatever the settings say, so that the settings alone are looked at."""
    monkeypatch.setattr(stages, "corpus", lambda cfg: SimpleNamespace(hash="c"))
    monkeypatch.setattr(stages, "golden", lambda cfg: SimpleNamespace(hash="g"))
    monkeypatch.setattr(stages, "embedder", lambda cfg: SimpleNamespace(revision="e"))
    monkeypatch.setattr(stages, "reranker", lambda cfg: SimpleNamespace(revision="r"))
    monkeypatch.setattr(judging, "judge", lambda cfg: SimpleNamespace(name="j"))


@pytest.mark.parametrize(
    ("base", "key"), [(base, key) for base in BASES if base != "no reranker" for key in composed(base)]
)
@pytest.mark.usefixtures("alike")
def test_every_key_counts_or_is_declared_irrelevant(base: str, key: str) -> None:
    before = fingerprint(point(*BASES[base]))
    assert fingerprint(point(*BASES[base])) == before
    cfg = point(*BASES[base])  # what was read of a configuration is remembered: change one that nobody has read
    with read_write(cfg):
        OmegaConf.update(cfg, key, other(composed(base)[key]))
    irrelevant = key in IRRELEVANT or key.partition(".")[0] in IRRELEVANT
    if key.startswith("index.") and key != "index.exact" and base != "graph":
        irrelevant = True  # where exact search happens does not matter
    assert (fingerprint(cfg) == before) == irrelevant


def test_what_is_declared_irrelevant_exists() -> None:
    of_a_sweep: Any = OmegaConf.to_container(points("sweep", ["chunking.size=64"])[0], resolve=True)
    keys = composed("default") | composed("models") | leaves(of_a_sweep)
    assert [name for name in IRRELEVANT if not any(f"{key}.".startswith(f"{name}.") for key in keys)] == []


@pytest.mark.parametrize("key", [key for key in composed("no reranker") if key.startswith("reranker.")])
@pytest.mark.usefixtures("alike")
def test_of_a_reranker_that_is_switched_off_nothing_counts(key: str) -> None:
    if key == "reranker._target_":
        assert fingerprint(point("reranker=none")) != fingerprint(point("reranker=cross-encoder"))
        return
    before, cfg = fingerprint(point("reranker=none")), point("reranker=none")
    with read_write(cfg):
        OmegaConf.update(cfg, key, other(composed("no reranker")[key]))
    assert fingerprint(cfg) == before


@pytest.mark.parametrize("part", ["corpus", "golden"])
@pytest.mark.usefixtures("alike")
def test_contents_count(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint(point())
    monkeypatch.setattr(stages, part, lambda cfg: SimpleNamespace(hash="other"))
    assert fingerprint(point()) != before


@pytest.mark.parametrize("part", ["embedder", "reranker"])
@pytest.mark.usefixtures("alike")
def test_weights_count(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint(point())
    monkeypatch.setattr(stages, part, lambda cfg: SimpleNamespace(revision="other"))
    assert fingerprint(point()) != before


@pytest.mark.usefixtures("alike")
def test_the_code_that_computes_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = fingerprint(point())
    for package in ("rag", "evaluation", "pipelines"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "code.py").write_text("A = 1\n")
    monkeypatch.setattr(module, "ROOT", tmp_path)

    def fresh() -> str:
        code_hash.cache_clear()
        return fingerprint(point())

    try:
        own = fresh()
        assert own != before
        (tmp_path / "pipelines" / "code.py").write_text("A = 2\n")
        assert fresh() == own
        for package in ("rag", "evaluation"):
            for changed in ("code.py", "prompt.txt", "prompt.yaml"):
                (tmp_path / package / changed).write_text("A = 2\n")
                assert fresh() != own
                own = fresh()
    finally:
        code_hash.cache_clear()


def test_a_point_of_a_sweep_is_the_same_run_as_the_point_alone() -> None:
    (swept,) = points("sweep", [*SMALL, "reranker=none", "retrieval.top_k=4"])
    assert fingerprint(swept) == fingerprint(point(*SMALL, "reranker=none", "retrieval.top_k=4"))


def at(folder: Path) -> DictConfig:
    material = (f"corpus.path={folder / 'docs'}", f"golden.path={folder / 'fragen.jsonl'}")
    return point(*material, "embedding=minilm", "reranker=none")


def copy(folder: Path) -> Path:
    shutil.copytree(DATA / "tiny", folder / "docs")
    shutil.copy(DATA / "tiny.jsonl", folder / "fragen.jsonl")
    return folder


def test_where_the_files_lie_does_not_count_but_what_is_in_them(tmp_path: Path) -> None:
    first = fingerprint(at(copy(tmp_path / "a")))
    assert fingerprint(at(copy(tmp_path / "b"))) == first

    document = copy(tmp_path / "c") / "docs" / "urlaub.txt"
    document.write_text(document.read_text(encoding="utf-8").replace("30 Tage", "31 Tage"), encoding="utf-8")
    assert fingerprint(at(tmp_path / "c")) != first

    questions = copy(tmp_path / "d") / "fragen.jsonl"
    questions.write_text(questions.read_text(encoding="utf-8").replace("30 Tage", "31 Tage"), encoding="utf-8")
    assert fingerprint(at(tmp_path / "d")) != first
