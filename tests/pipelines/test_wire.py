"""Generator, judge and ragas against a real server. What a model of this size says is not looked at, only its form."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from llama import Llama, llama
from tiny import DATA, SMALL, empty_cache, exit_code, point_runs, rows, workplace

from pipelines.evaluate import evaluate
from pipelines.memo import forget

pytestmark = [pytest.mark.wire, pytest.mark.model]


@pytest.fixture(scope="module")
def server() -> Iterator[Llama]:
    with llama() as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with workplace(tmp_path) as patch, empty_cache(patch, tmp_path / "cache"):
        yield tmp_path


def evaluated(folder: Path, questions: int, *overrides: str) -> tuple[dict[str, float], list[dict[str, object]]]:
    """Metrics and rows of the newest run, which evaluates the first questions of the tiny golden set."""
    lines = (DATA / "tiny.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    golden = folder / "golden.jsonl"
    golden.write_text("".join(lines[:questions]), encoding="utf-8")
    small = (f"golden.path={golden}", "reranker=none", "decline.below=-1.0", "measures.latency_questions=1")
    forget()
    assert exit_code(evaluate, [*SMALL, *small, "retrieval.top_k=1", *overrides]) in (0, 1)
    run = point_runs()[-1]
    return run.data.metrics, list(rows(run).values())


def model(server: Llama, part: str) -> tuple[str, ...]:
    return (f"{part}.model=smollm2", f"{part}.base_url={server.url}", f"{part}.retries=0", f"{part}.timeout=110")


def test_the_generator(server: Llama, folder: Path) -> None:
    # llama.cpp takes a grammar, so that even this model cites.
    grammar = "'root ::= [a-z ]{4,40} \" [1].\"'"
    own = ("generator=openai", *model(server, "generator"), f"+generator.parameters.grammar={grammar}")
    metrics, found = evaluated(folder, 2, *own)
    assert [row["error"] for row in found] == ["", ""]
    assert all(str(row["answer"]).endswith(" [1].") for row in found)
    assert (metrics["coverage"], metrics["n_failed"]) == (1, 0)
    assert metrics["input_tokens"] > 100
    assert 0 < metrics["output_tokens"] <= 50

    asked = server.tokens()
    again, _ = evaluated(folder, 2, *own, "measures.tau=0.7")  # another point with the same prompts
    assert again["coverage"] == 1
    assert server.tokens() == asked


def test_the_judge(server: Llama, folder: Path) -> None:
    own = ("judge=llm", *model(server, "judge"), "judge.parameters.max_tokens=80")
    metrics, found = evaluated(folder, 2, *own)
    for row in found:
        judged = row["label"] in ("correct", "partly", "wrong") and bool(row["reason"])
        assert judged != str(row["error"]).startswith("not judged: "), row
    assert metrics["coverage"] == sum(not row["error"] for row in found) / 2
    assert metrics["judge_input_tokens"] > 100

    asked = server.tokens()
    evaluated(folder, 2, *own, "measures.tau=0.7")
    assert (server.tokens() > asked) == any(row["error"] for row in found)  # only failures are asked again


def test_ragas(server: Llama, folder: Path) -> None:
    # The metrics with the shortest prompts; one of them compares embeddings too.
    names = ("answer_relevancy", "context_relevance")
    chosen = f"judge.metrics=[{','.join(names)}]"
    own = ("judge=ragas", *model(server, "judge"), "judge.parameters.max_tokens=60", chosen)
    metrics, (row,) = evaluated(folder, 1, *own)
    for name in names:
        scored, failed = isinstance(row[name], float), f"{name} was not scored: " in str(row["error"])
        assert scored != failed, row
        assert (metrics[f"{name}_n"], metrics[f"{name}_failed"]) == (scored, failed)
    assert metrics["coverage"] == (not row["error"])

    asked = server.tokens()
    evaluated(folder, 1, *own, "measures.tau=0.7")
    assert (server.tokens() > asked) == bool(row["error"])
