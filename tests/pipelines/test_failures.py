"""A point that fails in the middle is a FAILED run; bad input is one line and leaves nothing behind."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tiny import DATA, SMALL, exit_code, workplace

from pipelines.evaluate import evaluate
from pipelines.sweep import sweep
from rag.embedding.packaged import minilm

COMMANDS = {"sweep": sweep, "evaluate": evaluate}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "hier"
    place.mkdir()
    with workplace(place):
        yield place


def runs(folder: Path) -> list[Any]:
    from mlflow import MlflowClient

    client = MlflowClient(f"sqlite:///{folder / 'mlflow.db'}")
    experiment = client.get_experiment_by_name("messlatte")
    assert experiment is not None
    return list(client.search_runs([experiment.experiment_id], order_by=["attributes.start_time"]))


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A model that looks whole until its weights are read."""
    model = tmp_path / "kaputt"
    shutil.copytree(minilm(), model)
    for weights in (*model.rglob("*.safetensors"), *model.rglob("*.bin")):
        weights.write_bytes(weights.read_bytes()[:1000])
    return model


@pytest.mark.model
def test_a_point_that_fails_does_not_stop_the_others(
    folder: Path, broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    axes = [*SMALL, "reranker=none", "retrieval.top_k=2", f"embedding.model={broken},minilm", "baselines=[]"]
    assert exit_code(sweep, axes) == 1
    failed_name = "structure-64/0 · kaputt · hybrid · top 2 · no reranker"
    last = capsys.readouterr().out.strip().split("\n")[-1]
    assert last.startswith(f"FAILED {failed_name}: ")

    parent, failed, finished = runs(folder)
    assert (failed.info.run_name, failed.info.status) == (failed_name, "FAILED")
    assert last.endswith(failed.data.tags["error"].split("\n")[-1])
    assert finished.info.status == parent.info.status == "FINISHED"
    assert finished.data.metrics["recall_at_8"] == 1
    assert f"**FAILED** {failed_name}" in parent.data.tags["mlflow.note.content"]
    assert len((folder / "ledger.csv").read_text(encoding="utf-8").splitlines()) == 1 + 1

    # A failed point is no finished one: it is computed again, the other is not.
    assert exit_code(sweep, axes) == 1
    assert [run.info.status for run in runs(folder)[3:]] == ["FINISHED", "FAILED"]


@pytest.mark.model
def test_a_single_point_that_fails_ends_with_1(folder: Path, broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(evaluate, [*SMALL, "reranker=none", f"embedding.model={broken}"]) == 1
    assert "failed: structure-64/0 · kaputt · hybrid · top 8 · no reranker: " in capsys.readouterr().err
    (failed,) = runs(folder)
    assert failed.info.status == "FAILED"
    assert failed.data.tags["error"]


class Material:
    """A copy of the tiny corpus and its questions, to be spoilt."""

    def __init__(self, folder: Path) -> None:
        self.corpus, self.golden = folder / "docs", folder / "fragen.jsonl"
        shutil.copytree(DATA / "tiny", self.corpus)
        shutil.copy(DATA / "tiny.jsonl", self.golden)

    def add(self, **changes: object) -> None:
        lines = self.golden.read_text(encoding="utf-8").splitlines()
        self.golden.write_text("\n".join([*lines, json.dumps(json.loads(lines[0]) | changes)]), encoding="utf-8")

    @property
    def arguments(self) -> list[str]:
        return [f"corpus.path={self.corpus}", f"golden.path={self.golden}", *SMALL[2:]]


@pytest.fixture
def material(tmp_path: Path) -> Material:
    (tmp_path / "material").mkdir()
    return Material(tmp_path / "material")


def refused(command: str, arguments: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The one line on stderr."""
    assert exit_code(COMMANDS[command], arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert list(folder.iterdir()) == []
    return error


def no_corpus(material: Material) -> tuple[str, list[str]]:
    shutil.rmtree(material.corpus)
    return f"{material.corpus}: corpus folder does not exist", []


def empty_corpus(material: Material) -> tuple[str, list[str]]:
    for file in material.corpus.iterdir():
        file.unlink()
    return f"{material.corpus}: corpus folder holds no .md", []


def not_utf8(material: Material) -> tuple[str, list[str]]:
    (material.corpus / "alt.txt").write_bytes("Prüfung".encode("cp1252"))
    return f"{material.corpus / 'alt.txt'}: is not UTF-8 (byte 2); save it as UTF-8", []


def no_such_section(material: Material) -> tuple[str, list[str]]:
    material.add(id="t9", question="Neu?", expected_contexts=["pruefung#s9"])
    return "s9", []


def duplicate_id(material: Material) -> tuple[str, list[str]]:
    material.add(question="Neu?")
    return "t1", []


def empty_question(material: Material) -> tuple[str, list[str]]:
    material.add(id="t9", question=" ")
    return "fragen.jsonl: 1 unusable (1 x no question): line 6", []


def no_golden(material: Material) -> tuple[str, list[str]]:
    material.golden.unlink()
    return "fragen.jsonl", []


def no_golden_path(material: Material) -> tuple[str, list[str]]:
    return "golden.path=...", ["golden=squad"]


def no_corpus_path(material: Material) -> tuple[str, list[str]]:
    return "corpus.path=...", ["corpus=squad"]


def no_such_embedding(material: Material) -> tuple[str, list[str]]:
    return "embedding.model=/gibt/es/nicht/hier", ["embedding.model=/gibt/es/nicht/hier"]


def no_such_reranker(material: Material) -> tuple[str, list[str]]:
    return "reranker.model=/gibt/es/nicht/hier", ["reranker=cross-encoder", "reranker.model=/gibt/es/nicht/hier"]


def folder_without_weights(material: Material) -> tuple[str, list[str]]:
    return "the folder has no config.json", [f"embedding.model={material.corpus}"]


def overlap_too_large(material: Material) -> tuple[str, list[str]]:
    return "chunking.overlap=64 must be smaller than chunking.size=64", ["chunking.overlap=64"]


def top_k_too_large(material: Material) -> tuple[str, list[str]]:
    return "retrieval.top_k=9 must lie between 1 and retrieval.depth=5", ["retrieval.top_k=9", "retrieval.depth=5"]


def store_below_a_file(material: Material) -> tuple[str, list[str]]:
    return "tracking.uri=sqlite:////", [f"tracking.uri=sqlite:///{material.golden}/mlflow.db"]


def store_that_is_none(material: Material) -> tuple[str, list[str]]:
    return f"tracking.uri=sqlite:///{material.golden}", [f"tracking.uri=sqlite:///{material.golden}"]


def ledger_that_is_a_folder(material: Material) -> tuple[str, list[str]]:
    return f"tracking.ledger={material.corpus}", [f"tracking.ledger={material.corpus}"]


def ledger_with_other_columns(material: Material) -> tuple[str, list[str]]:
    return "has other columns", [f"tracking.ledger={material.golden}"]


def category_named_like_a_difficulty(material: Material) -> tuple[str, list[str]]:
    material.add(id="t9", question="Neu?", category="difficulty.leicht")
    return "question 't9': category 'difficulty.leicht' and difficulty 'leicht' would share", []


def store_of_another_release(material: Material) -> tuple[str, list[str]]:
    store = material.golden.parent / "alt.db"
    with sqlite3.connect(store) as tables:
        tables.execute("create table experiments (experiment_id integer)")
        tables.execute("create table alembic_version (version_num varchar)")
        tables.execute("insert into alembic_version values ('gibtesnicht')")
    return f"tracking.uri=sqlite:///{store}: ", [f"tracking.uri=sqlite:///{store}"]


def store_that_does_not_answer(material: Material) -> tuple[str, list[str]]:
    return "tracking.uri=http://127.0.0.1:9", ["tracking.uri=http://127.0.0.1:9"]


def store_of_no_kind(material: Material) -> tuple[str, list[str]]:
    return "tracking.uri=foo://x", ["tracking.uri=foo://x"]


@pytest.mark.parametrize(
    "override",
    [
        *("measures.ks=[]", "measures.ks=[a]", "measures.ks=[1.5]", "measures.ks=[true]", "measures.ks=[null]"),
        *("measures.token_budgets=[a]", "measures.token_budgets=[0]", "measures.tau=0", "decline.below=true"),
        *("decline.below=nan", "decline.below=inf", "decline.quantile=1", "generator.sentences=0"),
        *("generator.rank_weight=-1", "judge.words=2", "judge.words_alone=0", "measures.latency_questions=0"),
        *("tracking.uri=3", "tracking.uri=[a]"),
    ],
)
def test_a_setting_that_makes_no_sense_is_named_before_anything_runs(
    override: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert f"{override.partition('=')[0]}=" in refused("evaluate", [*SMALL, override], folder, capsys)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "spoil",
    [
        *(no_corpus, empty_corpus, not_utf8, no_such_section, duplicate_id, empty_question, no_golden),
        *(no_corpus_path, no_golden_path, no_such_embedding, no_such_reranker, folder_without_weights),
        *(ledger_that_is_a_folder, ledger_with_other_columns, category_named_like_a_difficulty),
        *(store_that_does_not_answer, store_of_another_release),
        *(overlap_too_large, top_k_too_large, store_below_a_file, store_that_is_none, store_of_no_kind),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing_behind(
    spoil: Any, command: str, material: Material, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected, more = spoil(material)
    arguments = [*material.arguments, "reranker=none", "retrieval.top_k=2"]
    if more and more[0] in ("golden=squad", "corpus=squad"):  # whose path is to be given
        arguments = [own for own in arguments if not own.startswith(f"{more[0].partition('=')[0]}.path")]
    assert expected in refused(command, [*arguments, *more], folder, capsys)


def test_the_axis_value_that_makes_no_sense_is_found_before_the_first_point(
    material: Material, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [*material.arguments, "reranker=none", "retrieval.top_k=2", "chunking.overlap=0,64"]
    assert "chunking.overlap=64" in refused("sweep", arguments, folder, capsys)


def test_one_configuration_takes_no_axes(material: Material, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "pipelines.sweep takes several" in refused("evaluate", ["retrieval.top_k=2,8"], folder, capsys)


def test_several_unreadable_files_are_all_named(
    material: Material, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.txt", "b.txt"):
        (material.corpus / name).write_bytes(b"\xfc")
    assert exit_code(sweep, material.arguments) == 2
    error = capsys.readouterr().err
    assert "a.txt" in error
    assert "b.txt" in error
    assert list(folder.iterdir()) == []
