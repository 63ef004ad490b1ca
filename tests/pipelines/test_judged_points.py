"""Points judged by a language model, the judge's noise and its check against people, on a real store."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import mlflow
import pytest
from scripted import Request, Response, Script, says, scripted
from scripted_ragas import asked_for, replying
from tiny import SMALL, empty_cache, exit_code, holders, point_runs, rows, workplace

from pipelines.evaluate import evaluate
from pipelines.judge_noise import judge_noise
from pipelines.memo import forget

CANARY = "sk-canary-4711"
GOOD = says('{"reason": "Die Frist stimmt.", "verdict": "correct"}', usage=(200, 20))
BAD = says('{"reason": "Falsch.", "verdict": "wrong"}')


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with workplace(tmp_path) as patch, empty_cache(patch, tmp_path / "cache"):
        patch.setenv("OPENAI_API_KEY", CANARY)
        yield tmp_path


def arguments(url: str, judge: str, *more: str) -> list[str]:
    small = ("reranker=none", "decline.below=-1.0", "measures.latency_questions=1")
    model = (f"judge={judge}", "judge.model=scripted", f"judge.base_url={url}", "judge.retries=0")
    return [*SMALL, *small, *model, *more]


def broken_for_one(request: Request) -> Response:
    if "Podestleiter wann" in request.text:
        return Response(f'{{"error": "{request.authorization}"}}', 401)
    return GOOD


@pytest.mark.model
def test_labels_reasons_errors_cache_cost_and_no_key_anywhere(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # t1 to t4 are answered (by quoting) and go to the judge; t5 has no answer, so its label is a rule's.
    with scripted(broken_for_one) as server:
        own = arguments(server.url, "llm", "judge.price.input=1000.0")
        assert exit_code(evaluate, [*own, "dry_run=true"]) == 0
        assert "the judge: at most 4 calls" in capsys.readouterr().out
        assert server.requests == []

        assert exit_code(evaluate, own) == 1
        assert len(server.requests) == 4
        (incomplete,) = point_runs()
        metrics, tags = incomplete.data.metrics, incomplete.data.tags
        assert (metrics["n_failed"], metrics["coverage"], metrics["n_labels"]) == (1, 0.8, 4)
        assert metrics["judge_cost_per_run"] == pytest.approx(3 * 200 * 1000 / 1e6)
        failed = rows(incomplete)["t2"]
        assert (failed["label"], failed["cause"]) == (None, "")
        assert failed["error"].startswith("not judged: HTTP 401")
        assert "(API key)" in failed["error"]
        assert rows(incomplete)["t1"]["reason"] == "Die Frist stimmt."
        assert tags["judge"].startswith("llm-1(model=scripted, prompt=")
        assert tags["judge_prompt_hash"][:12] in tags["judge"]
        assert tags["judge_validated"] == "false"
        assert incomplete.data.params["judge.language"] == "de"

        server.script = lambda request: GOOD
        forget()
        assert exit_code(evaluate, own) == 0  # not reused, as it was incomplete
        assert len(server.requests) == 5
        assert point_runs()[1].data.metrics["coverage"] == 1
        forget()
        assert exit_code(evaluate, [*own, "measures.tau=0.7"]) == 0  # another point with the same judgements
        assert (len(point_runs()), len(server.requests)) == (3, 5)

    assert CANARY not in "".join(capsys.readouterr())
    assert holders(CANARY, folder) == []


@pytest.mark.model
def test_ragas_scores_are_columns_and_means_with_their_n(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def script(request: Request) -> Response:
        broken = asked_for(request) == "ContextRecallOutput" and "Podestleiter wann" in request.text
        return Response(f'{{"error": "{request.authorization}"}}', 401) if broken else replying()(request)

    with scripted(script) as server:
        own = arguments(server.url, "ragas", "judge.metrics=[context_recall,context_precision]", "retrieval.top_k=2")
        assert exit_code(evaluate, [*own, "dry_run=true"]) == 0
        assert "RAGAS: at most 10 scores, one or more calls each" in capsys.readouterr().out  # 5 questions, 2 metrics
        assert server.requests == []

        assert exit_code(evaluate, own) == 1
        asked = Counter(map(asked_for, server.requests))
        assert asked == {"ContextRecallOutput": 4, "ContextPrecisionOutput": 8}  # t5 has no context scores
        (incomplete,) = point_runs()
        metrics = incomplete.data.metrics
        assert (metrics["context_recall"], metrics["context_recall_n"], metrics["context_recall_n.fristen"]) == (
            1,
            3,
            1,
        )
        assert (metrics["context_recall_coverage"], metrics["context_recall_failed"]) == (3 / 5, 1)
        assert (metrics["context_precision_n"], metrics["context_precision_coverage"]) == (4, 4 / 5)
        assert (metrics["n_failed"], metrics["coverage"], metrics["n_labels"]) == (1, 0.8, 5)
        found = rows(incomplete)
        assert "reason" not in found["t1"]
        assert (found["t1"]["context_recall"], found["t5"]["context_recall"]) == (1, None)
        assert found["t2"]["error"].startswith("context_recall was not scored: ")
        assert found["t2"]["label"] is not None

        server.script = replying()
        forget()
        assert exit_code(evaluate, own) == 0
        assert len(server.requests) == 13
    assert holders(CANARY, folder) == []


def wavering() -> Script:
    """Calls the same answers correct the first time, then one of them wrong."""
    seen: Counter[str] = Counter()

    def script(request: Request) -> Response:
        seen[request.text] += 1
        return BAD if seen[request.text] == 2 and "kessel" in request.text else GOOD

    return script


@pytest.mark.model
@pytest.mark.usefixtures("folder")
def test_the_noise_of_a_judge(capsys: pytest.CaptureFixture[str]) -> None:
    with scripted(wavering()) as server:
        assert exit_code(evaluate, arguments(server.url, "llm")) == 0
        (run,) = point_runs()
        assert exit_code(judge_noise, ["--run", run.info.run_id, "--repeats", "2"]) == 0
        assert len(server.requests) == 4 + 4  # the run's own judgements are the first
        assert exit_code(judge_noise, ["--run", run.info.run_id, "--repeats", "2"]) == 0
        assert len(server.requests) == 8
    # One of five labels changes: means m and m - 1/5, standard deviation of two (1/5) / sqrt(2), limit 2.8 times that.
    noise = mlflow.MlflowClient().get_run(run.info.run_id).data.metrics["judge_noise"]
    assert noise == pytest.approx(2.8 * 0.2 / 2**0.5)
    assert f"{noise:8.4f}" in capsys.readouterr().out

    assert exit_code(judge_noise, ["--run", run.info.run_id, "--repeats", "1"]) == 2
    assert exit_code(judge_noise, ["--run", "nobody"]) == 2
    err = capsys.readouterr().err
    assert "noise is measured with two or more" in err
    assert "run nobody: not in sqlite:///" in err


@pytest.mark.model
@pytest.mark.usefixtures("folder")
def test_a_judge_without_a_model_has_no_noise_and_an_outdated_run_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(evaluate, [*SMALL, "reranker=none", "measures.latency_questions=1"]) == 0
    (run,) = point_runs()
    assert exit_code(judge_noise, ["--run", run.info.run_id]) == 0
    assert mlflow.MlflowClient().get_run(run.info.run_id).data.metrics["judge_noise"] == 0
    monkeypatch.setattr("pipelines.fingerprint.code_hash", lambda: "other")
    assert exit_code(judge_noise, ["--run", run.info.run_id]) == 2
    assert "are not what they were" in capsys.readouterr().err


def helps_with_leitern(request: Request) -> Response:
    if request.body["response_format"]["json_schema"]["name"] == "judgement":
        return GOOD
    passage = json.loads(request.text)["passage"]
    return says("Ja.") if "Urlaub" in passage else says(json.dumps({"reason": "", "helps": "Leiter" in passage}))


@pytest.mark.model
def test_every_passage_of_a_sample_is_judged(folder: Path) -> None:
    with scripted(helps_with_leitern) as server:
        own = arguments(server.url, "llm", "judge.context_questions=2", "retrieval.top_k=3", "retrieval=bm25")
        exit_code(evaluate, own)
        (run,) = point_runs()
        table = rows(run)
        judged = {own: row for own, row in table.items() if isinstance(row.get("passages_help"), list)}
        # t1 to t4 are answerable; two of them by the hashes of their ids, which no setting changes.
        assert sorted(judged) == sorted(sorted(["t1", "t2", "t3", "t4"], key=digest)[:2])
        shares = []
        for row in judged.values():
            assert len(row["passages_help"]) == len(row["retrieved"])
            if None in row["passages_help"]:
                assert "passage not judged: the reply is not in the schema: 'Ja.'" in row["error"]
            else:
                shares.append(sum(row["passages_help"]) / len(row["passages_help"]))
        assert run.data.metrics["n_passage_relevance"] == len(shares)
        assert run.data.metrics["passage_relevance"] == pytest.approx(sum(shares) / len(shares), abs=1e-6)
        assert run.data.metrics["n_failed"] == len(judged) - len(shares)


def digest(own: str) -> bytes:
    return hashlib.sha256(own.encode()).digest()
