"""Whole runs: dirty golden sets, Unicode forms, benchmarks, laws."""

import json
import shutil
import sqlite3
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from pipelines import stages
from pipelines.config import points
from pipelines.evaluate import evaluate
from pipelines.measuring import measure
from pipelines.sweep import sweep
from pipelines.tracking import logged_names
from rag.cache import Cache
from rag.errors import InputError

pytestmark = pytest.mark.model

TINY, QUESTIONS = Path("tests/data/tiny"), Path("tests/data/tiny.jsonl")
SHARED = Path("../shared/data")
CHEAP = ("embedding=minilm", "reranker=none", "measures.latency_questions=1")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path / "cache.sqlite")
    monkeypatch.setattr(stages, "model_cache", lambda: cache)


def logged(tmp_path: Path) -> tuple[str, ...]:
    return f"tracking.uri=sqlite:///{tmp_path}/mlflow.db", f"tracking.ledger={tmp_path}/ledger.csv"


def metrics(tmp_path: Path, name: str) -> list[float]:
    with sqlite3.connect(tmp_path / "mlflow.db") as database:
        return [
            value
            for (value,) in database.execute("SELECT value FROM metrics WHERE key = ?", (logged_names.metric(name),))
        ]


def on_tiny(golden: Path, corpus: Path = TINY) -> tuple[str, ...]:
    return f"corpus.path={corpus}", f"golden.path={golden}"


def test_a_dirty_set_stops_or_is_measured_without_what_is_unusable(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = [
        {"id": "t1", "question": "Andere Frage?", "expected": "x", "doc": "urlaub"},  # an id that is taken
        {"id": "t6", "expected": "x", "doc": "urlaub"},  # no question
        {"id": "t7", "question": "Wo?", "expected": "x", "docs": ["nirgends", "fehlt"]},  # one record, two references
    ]
    dirty = tmp_path / "dirty.jsonl"
    dirty.write_text(QUESTIONS.read_text() + "\n".join(map(json.dumps, bad)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)  # where MLflow puts artifacts
    root = Path(__file__).parents[2]
    given = (*on_tiny(dirty, root / TINY), *CHEAP, *logged(tmp_path))
    with pytest.raises(InputError, match=r"dirty\.jsonl: 4 unusable .*2 x unknown document"):
        evaluate([*given])
    assert not (tmp_path / "mlflow.db").exists()
    assert evaluate([*given, "golden.on_error=report"]) == 0
    assert metrics(tmp_path, "golden_skipped") == [3]
    assert metrics(tmp_path, "n_labels") == [5]  # those of tests/data/tiny.jsonl
    assert "3 records left out: 4 unusable" in caplog.text

    # what is left is the clean set, and has its version
    (clean,) = points("config", [*on_tiny(root / QUESTIONS, root / TINY), *CHEAP])
    (left,) = points("config", [*given, "golden.on_error=report"])
    assert stages.golden(clean).hash == stages.golden(left).hash


def test_failures_are_counted_by_their_top_cause() -> None:
    (cfg,) = points("config", [*on_tiny(QUESTIONS), *CHEAP, "retrieval.top_k=1", "decline.below=-1"])
    measured = measure(cfg)
    groups = [row["cause_group"] for row in measured.rows if row["cause_group"]]
    failures = {n.partition(".")[2]: v for n, v in measured.metrics.items() if n.startswith("failures.")}
    assert failures == {
        name: groups.count(name)
        for name in (
            "document_missing_or_outdated",
            "retrieval_missed",
            "had_the_passage_answered_badly",
            "should_have_declined",
        )
    }
    assert failures["should_have_declined"] == 1  # t5, as nothing is declined
    assert sum(failures.values()) == sum(row["label"] != "correct" for row in measured.rows)
    assert all(bool(row["cause"]) == bool(row["cause_group"]) for row in measured.rows)
    assert "reranker_score_at_top_k" not in measured.metrics


def test_the_rerankers_score_is_logged_where_one_ran() -> None:
    wanted = [*on_tiny(QUESTIONS), "embedding=minilm", "reranker=cross-encoder"]
    (cfg,) = points("config", [*wanted, "retrieval.top_k=1", "reranker.blend=1.0"])
    (deep,) = points("config", [*wanted, "retrieval.top_k=50", "reranker.blend=1.0"])
    best = [float(max(scores)) for scores in stages.rerank_scores(cfg)]
    every = [float(score) for scores in stages.rerank_scores(cfg) for score in scores]
    assert measure(cfg).metrics["reranker_score_at_top_k"] == pytest.approx(sum(best) / len(best))
    assert stages.reranker_score_at_top_k(deep) == pytest.approx(sum(every) / len(every))


def in_form(value: Any, form: str) -> Any:
    """Every text in a normal form; the answers of a SQuAD paragraph are counted in its new text."""
    if isinstance(value, str):
        return unicodedata.normalize(form, value)
    if isinstance(value, list):
        return [in_form(entry, form) for entry in value]
    if not isinstance(value, dict):
        return value
    if "context" in value:
        for answer in (answer for qa in value["qas"] for answer in qa["answers"]):
            answer["answer_start"] = len(in_form(value["context"][: answer["answer_start"]], form))
    return {key: in_form(entry, form) for key, entry in value.items()}


def assert_same_numbers(nfc: list[str], nfd: list[str]) -> None:
    (one,), (two,) = points("config", [*nfc, *CHEAP]), points("config", [*nfd, *CHEAP])
    assert stages.corpus(one).hash == stages.corpus(two).hash
    assert stages.golden(one).hash == stages.golden(two).hash
    assert measure(one).metrics == measure(two).metrics
    assert measure(one).metrics["recall_at_8"] > 0.5


def test_an_nfd_copy_of_a_folder_gives_the_same_numbers(tmp_path: Path) -> None:
    given = {}
    for form in ("NFC", "NFD"):
        folder = tmp_path / form
        folder.mkdir()
        for file in TINY.iterdir():
            (folder / file.name).write_text(in_form(file.read_text(), form), encoding="utf-8")
        (folder / in_form("ämter.txt", form)).write_text(in_form("Über Büros.", form), encoding="utf-8")
        quoting = {"id": "q", "question": "Was für Büros?", "expected": "Über Büros.", "groups": ["Büro"]}
        records = [*map(json.loads, QUESTIONS.read_text().splitlines())]
        records.append({**quoting, "references": [{"document": "ämter", "quote": "Büros"}]})
        golden = tmp_path / f"{form}.jsonl"
        lines = (json.dumps(in_form(record, form), ensure_ascii=False) for record in records)
        golden.write_text("\n".join(lines), encoding="utf-8")
        given[form] = list(on_tiny(golden, folder))
    assert (tmp_path / "NFC.jsonl").stat().st_size < (tmp_path / "NFD.jsonl").stat().st_size
    assert_same_numbers(given["NFC"], given["NFD"])


def xquad_slice(tmp_path: Path, form: str) -> Path:
    """Four paragraphs with their questions."""
    file = SHARED / "xquad" / "xquad.de.json"
    if not file.exists():
        pytest.skip(f"{file} is not there: shared data is not part of the repository")
    article = json.loads(file.read_text(encoding="utf-8"))["data"][1]
    article["paragraphs"] = article["paragraphs"][:4]
    written = tmp_path / f"{form}.json"
    written.write_text(json.dumps({"data": [in_form(article, form)]}), encoding="utf-8")
    return written


def test_an_nfd_copy_of_xquad_gives_the_same_numbers(tmp_path: Path) -> None:
    nfc, nfd = ([f"corpus.path={xquad_slice(tmp_path, form)}"] for form in ("NFC", "NFD"))
    assert len((tmp_path / "NFC.json").read_text()) != len((tmp_path / "NFD.json").read_text())
    squad = ["corpus=squad", "golden=squad", "golden.path=${corpus.path}", "chunking=fixed", "chunking.size=32"]
    squad.append("chunking.overlap=0")  # cuts answers apart, so that tau matters
    assert_same_numbers([*squad, *nfc], [*squad, *nfd])


def test_the_benchmark_experiment_sweeps_any_squad_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = xquad_slice(tmp_path, "NFC")
    other = xquad_slice(tmp_path, "NFD").with_name("other.json")
    other.write_text(given.read_text().replace("Wie ", "Und wie "), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    axes = ["experiment=benchmark", "embedding=minilm", "chunking.size=64", "retrieval=bm25,hybrid"]
    assert sweep([*axes, f"corpus.path={given},{other}", *CHEAP[1:], *logged(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert len(metrics(tmp_path, "recall_at_8")) == 4
    assert "4 points in the sweep's run" in said
    assert "WARNING: not ranked together" in said  # the two files hold other questions
    assert said.count("Margin of error") == 2


def test_laws_as_a_corpus(tmp_path: Path) -> None:
    if not (SHARED / "gesetze").exists():
        pytest.skip(f"{SHARED / 'gesetze'} is not there: shared data is not part of the repository")
    laws = tmp_path / "gesetze"
    laws.mkdir()
    for name in ("burlg.md", "pauswgebv.md"):
        shutil.copy(SHARED / "gesetze" / name, laws)
    golden = tmp_path / "fragen.jsonl"
    records = [
        ("wieviel tage urlaub stehen mir mindestens zu", "24 Werktage", "burlg", "jährlich mindestens 24 Werktage"),
        ("was kostet der personalausweis", "", "pauswgebv", ""),
        (
            "wie lange muss ich warten bis ich den vollen urlaub habe",
            "sechs Monate",
            "burlg",
            "sechsmonatigem Bestehen",
        ),
    ]
    lines = [
        json.dumps(
            {"question": asked, "expected": answer, "references": [{"document": law, **({"quote": q} if q else {})}]}
        )
        for asked, answer, law, q in records
    ]
    golden.write_text("\n".join(lines), encoding="utf-8")
    (cfg,) = points("config", [*on_tiny(golden, laws), *CHEAP, "retrieval=bm25", "retrieval.top_k=5"])
    measured = measure(cfg).metrics
    assert measured["n_retrieval"] == 3
    assert measured["units_unreachable"] == 0
    assert measured["recall_at_top_k"] >= 2 / 3
