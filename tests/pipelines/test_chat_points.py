"""Evaluate and sweep with a language model's answers, against a scripted double of an endpoint."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripted import Request, Response, says, scripted
from tiny import SMALL, empty_cache, exit_code, holders, point_runs, rows, workplace

from pipelines.config import points
from pipelines.evaluate import evaluate
from pipelines.memo import forget
from pipelines.sweep import sweep
from rag.errors import InputError

CANARY = "sk-canary-4711"


def arguments(url: str, *more: str) -> list[str]:
    small = ("decline.below=-1.0", "measures.latency_questions=1")
    model = ("generator=openai", "generator.model=scripted", f"generator.base_url={url}", "generator.retries=0")
    return [*SMALL, *small, *model, "generator.price.input=1000.0", *more]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with workplace(tmp_path) as patch, empty_cache(patch, tmp_path / "cache"):
        patch.setenv("OPENAI_API_KEY", CANARY)
        yield tmp_path


@pytest.mark.model
def test_dry_run_errors_cache_cost_and_no_key_anywhere(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def broken_for_one(request: Request) -> Response:
        if "Podestleiter wann" in request.text:
            return Response(f'{{"error": "{request.authorization}"}}', 401)
        return says("Alle 5 Jahre [1].", usage=(100, 10))

    with scripted(broken_for_one) as server:
        assert exit_code(evaluate, arguments(server.url, "dry_run=true")) == 0
        assert re.search(r"5 calls, about \d+ input tokens, at most 2560 output tokens", capsys.readouterr().out)
        assert (server.requests, (folder / "mlflow.db").exists()) == ([], False)

        assert exit_code(evaluate, arguments(server.url)) == 1
        assert len(server.requests) == 5
        (incomplete,) = point_runs()
        metrics = incomplete.data.metrics
        assert (metrics["n_failed"], metrics["coverage"], metrics["n_labels"]) == (1, 0.8, 4)
        assert metrics["cost_per_run"] == pytest.approx(4 * 100 * 1000 / 1e6)
        assert metrics["cost_per_month"] == pytest.approx(10000 * 100 * 1000 / 1e6)
        (failed,) = [row for row in rows(incomplete).values() if row["error"]]
        assert (failed["id"], failed["label"], failed["cause"]) == ("t2", None, "")
        assert "(API key)" in failed["error"]
        assert re.fullmatch("[0-9a-f]{64}", incomplete.data.tags["prompt_hash"])

        server.script = lambda request: says("NOT_FOUND")
        forget()
        assert exit_code(evaluate, arguments(server.url)) == 0  # not reused, as it was incomplete
        assert len(server.requests) == 6
        assert point_runs()[1].data.metrics["coverage"] == 1

        assert exit_code(evaluate, arguments(server.url)) == 0
        assert (len(point_runs()), len(server.requests)) == (2, 6)

        # Top 50 holds the whole corpus, as top 8 does; of top 1 every prompt is new.
        capsys.readouterr()
        assert exit_code(evaluate, arguments(server.url, "dry_run=true", "retrieval.top_k=50")) == 0
        assert "0 calls" in capsys.readouterr().out
        assert exit_code(sweep, arguments(server.url, "reranker=none", "retrieval.top_k=1,50", "baselines=[]")) == 0
        assert len(server.requests) == 11
        assert len({str(request.body) for request in server.requests}) == 10

    assert CANARY not in "".join(capsys.readouterr())
    assert holders(CANARY, folder) == []


@pytest.mark.model
@pytest.mark.usefixtures("folder")
def test_points_that_share_prompts_pay_for_each_once() -> None:
    with scripted(lambda request: says("Alle 5 Jahre [1].")) as server:
        axes = ("reranker=none,cross-encoder", "retrieval.top_k=1,2", "baselines=[]")
        assert exit_code(sweep, arguments(server.url, *axes)) == 0
        prompts = [str(request.body) for request in server.requests]
        assert len(point_runs()) == 4
        assert len(set(prompts)) == len(prompts) < 4 * 5


def test_a_key_among_the_overrides_is_not_repeated() -> None:
    with pytest.raises(InputError) as raised:
        points("config", ["generator=openai", "generator.model=m", f"generator.api_key={CANARY}"])
    assert "api_key_env" in str(raised.value)
    assert CANARY not in str(raised.value)
