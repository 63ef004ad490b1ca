"""The threshold found on the tiny corpus, with quotes and with a scripted double of an endpoint, on a real store."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mlflow
import pytest
from scripted import Request, Response, says, scripted
from tiny import DATA, empty_cache, exit_code, holders, plain, point_runs, rows, workplace

from pipelines.evaluate import evaluate
from pipelines.memo import forget
from pipelines.threshold import threshold

CANARY = "sk-canary-4711"
ANSWERABLE = {
    "wie oft muss der druckbehälter von innen geprüft werden": ("Alle fünf Jahre.", "pruefung"),
    "Frist Podestleiter": ("6 Monate.", "pruefung"),
    "Anlegeleiter prüfen wann": ("12 Monate.", "pruefung"),
    "wieviel urlaub hab ich": ("30 Tage im Jahr.", "urlaub"),
}
UNANSWERABLE = ("Was kostet die Kantine?", "Wer hat den Schlüssel?", "Gibt es Jobräder?", "Wie warm wird es morgen?")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with workplace(tmp_path) as patch, empty_cache(patch, tmp_path / "cache"):
        patch.setenv("OPENAI_API_KEY", CANARY)
        write(tmp_path, len(UNANSWERABLE))
        yield tmp_path


def write(folder: Path, unanswerable: int) -> None:
    records: list[dict[str, Any]] = [
        {"question": asked, "expected_answer": expected, "expected_contexts": [document]}
        for asked, (expected, document) in ANSWERABLE.items()
    ]
    records += [{"question": asked, "answerable": False} for asked in UNANSWERABLE[:unanswerable]]
    lines = [json.dumps({"id": f"q{n}", "category": "c", **record}) for n, record in enumerate(records)]
    (folder / "fragen.jsonl").write_text("\n".join(lines), encoding="utf-8")


def arguments(*more: str) -> list[str]:
    material = (f"corpus.path={DATA / 'tiny'}", "golden.path=fragen.jsonl", "embedding=minilm", "reranker=none")
    return [*material, "chunking.size=64", "chunking.overlap=0", "measures.latency_questions=1", *more]


def asking(url: str, *more: str) -> list[str]:
    model = ("generator=openai", "generator.model=scripted", f"generator.base_url={url}", "generator.retries=0")
    return arguments(*model, *more)


def threshold_runs() -> list[Any]:
    mlflow.set_tracking_uri(f"sqlite:///{Path.cwd() / 'mlflow.db'}")
    return [plain(run) for run in mlflow.MlflowClient().search_runs(["1"], "tags.kind = 'threshold'")]


def table(run: Any, name: str) -> list[dict[str, Any]]:
    held = mlflow.artifacts.load_dict(f"{run.info.artifact_uri}/{name}")
    return [dict(zip(held["columns"], row, strict=True)) for row in held["data"]]


@pytest.mark.model
@pytest.mark.usefixtures("folder")
def test_an_evaluation_with_the_override_gives_the_labels_that_were_promised(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert exit_code(threshold, arguments("threshold.max_wrong_rate=0.25")) == 0
    (run,) = threshold_runs()
    (override,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("decline.below=")]
    found = run.data.metrics
    assert override == f"decline.below={found['decline_threshold']}"
    assert run.data.params["threshold.max_wrong_rate"] == "0.25"
    assert f"\n{override}\n" in run.data.tags["mlflow.note.content"]

    forget()
    assert exit_code(evaluate, arguments(override)) == 0  # a run of its own: that of the threshold is no point
    (point,) = point_runs()
    promised = {row["id"]: row for row in table(run, "split.json")}
    assert {own: row["label"] for own, row in rows(point).items()} == {
        own: row["label"] for own, row in promised.items()
    }
    for half in ("tuning", "held_out"):
        labels = [(row["answerable"], row["label"]) for row in promised.values() if row["split"] == half]
        assert sorted(answerable for answerable, _ in labels) == [False, False, True, True]
        assert found[f"{half}_wrong"] == sum(label == "wrong" for _, label in labels) / 4
        assert found[f"{half}_answerable_declined"] == sum(label == "declined" for _, label in labels) / 2
        assert found[f"{half}_unanswerable_answered"] == labels.count((False, "wrong")) / 2
    assert found["tuning_wrong"] <= 0.25
    assert found["held_out_wrong_low"] <= found["held_out_wrong"] <= found["held_out_wrong_high"]
    effects = table(run, "trade_off.json")
    assert (len(effects), effects[0]["threshold"]) == (4, -1)  # for the four questions of the tuning split
    assert {file.path for file in mlflow.MlflowClient().list_artifacts(run.info.run_id)} == {
        "config.yaml",
        "split.json",
        "threshold.png",
        "trade_off.json",
    }


@pytest.mark.model
def test_every_question_is_paid_for_once_and_failures_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken_for_one(request: Request) -> Response:
        if "Podestleiter</frage" in request.text.replace("\n", ""):
            return Response(f'{{"error": "{request.authorization}"}}', 401)
        return says("Fragen Sie jemand anderen [1].")

    with scripted(broken_for_one) as server:
        own = asking(server.url, "threshold.max_wrong_rate=0.0")
        assert exit_code(threshold, [*own, "dry_run=true"]) == 0
        assert "8 calls" in capsys.readouterr().out
        assert (server.requests, (folder / "mlflow.db").exists()) == ([], False)

        assert exit_code(threshold, own) == 1
        assert "1 questions failed, and a threshold needs them all" in capsys.readouterr().err
        (failed,) = threshold_runs()
        assert failed.info.status == "FAILED"
        assert "q1: HTTP 401" in failed.data.tags["error"]

        # Whatever is answered is wrong, and every candidate lets the strongest question be answered.
        server.script = lambda request: says("Fragen Sie jemand anderen [1].")
        forget()
        assert exit_code(threshold, own) == 1
        out = capsys.readouterr().out
        assert "NO THRESHOLD keeps the limit. The closest, decline.below=" in out
        assert "1 of 4 questions are answered wrongly (0.250, threshold.max_wrong_rate=0)" in out
        latest = threshold_runs()[0]
        assert latest.info.status == "FINISHED"
        assert latest.data.metrics["tuning_wrong"] == 0.25

        assert len(server.requests) == 8 + 1
        forget()
        assert exit_code(threshold, asking(server.url, "threshold.max_wrong_rate=0.9")) == 0
        forget()
        assert exit_code(evaluate, asking(server.url, f"decline.below={latest.data.metrics['decline_threshold']}")) == 0
        assert len(server.requests) == 8 + 1
    assert holders(CANARY, folder) == []


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("retrieval.top_k=4,8", "takes one value for each key"),
        ("decline.below=0.8", "decline.below=0.8: this command finds it; leave it out"),
        ("threshold.max_wrong_rate=1.5", "threshold.max_wrong_rate=1.5: must be 0 to 1"),
        ("threshold.max_wrong_rate=-0.1", "must be 0 to 1"),
        ("threshold.max_wrong_rate=null", "threshold.max_wrong_rate must be a number"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_cannot_be_tuned_is_refused(override: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(threshold, arguments(override)) == 2
    assert message in capsys.readouterr().err


def test_both_halves_need_both_kinds_of_questions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, 1)
    assert exit_code(threshold, arguments()) == 2
    assert "fragen.jsonl: 4 answerable and 1 unanswerable questions" in capsys.readouterr().err
    assert not (folder / "mlflow.db").exists()
