"""Export, label, import, agreement: on a real MLflow store."""

import csv
from pathlib import Path

import pytest

from pipelines.review import review
from rag.errors import InputError


def test_from_export_to_agreement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import mlflow
    import pandas as pd

    monkeypatch.chdir(tmp_path)
    uri, file = f"sqlite:///{tmp_path}/mlflow.db", tmp_path / "r.csv"
    mlflow.set_tracking_uri(uri)
    labels = ["correct"] * 4 + ["wrong"] * 4 + ["declined"]
    texts = {"question": "?", "expected_answer": "Ja", "answer": "Ja", "category": "c", "answerable": True}
    with mlflow.start_run() as run:
        rows = [
            {"id": f"q{n}", "label": label, "cited": [], "references": [], **texts} for n, label in enumerate(labels)
        ]
        mlflow.log_table(pd.DataFrame(rows), "questions.json")
    own = ["--run", run.info.run_id, "--file", str(file), "--uri", uri]

    with pytest.raises(InputError, match="import the labels of people first"):
        review(["agreement", *own])
    assert review(["export", *own]) == 0
    assert "8 of 8 judged answers" in capsys.readouterr().out
    with file.open(encoding="utf-8-sig", newline="") as lines:
        shown = [line["id"] for line in csv.DictReader(lines, delimiter=";")]
    people = {f"q{n}": "richtig" if n < 3 else "falsch" for n in range(8)}  # the judge errs on q3
    file.write_text("id;label\n" + "".join(f"{own};{people[own]}\n" for own in shown), encoding="utf-8")
    assert review(["import", *own]) == 0
    assert review(["agreement", *own]) == 0
    # observed 7/8; chance 3/8 * 4/8 + 5/8 * 4/8 = 1/2; kappa (7/8 - 1/2) / (1/2) = 0.75
    assert "agreement 0.88, kappa 0.75" in capsys.readouterr().out
    logged = mlflow.MlflowClient().get_run(run.info.run_id).data
    assert logged.metrics["judge_kappa"] == pytest.approx(0.75)
    assert logged.metrics["judge_reviewed"] == 8
    assert logged.tags["judge_validated"] == "true"
    assert review(["agreement", *own, "--kappa", "0.8"]) == 1
    assert mlflow.MlflowClient().get_run(run.info.run_id).data.tags["judge_validated"] == "false"

    file.write_text("id;label\nq8;falsch\n", encoding="utf-8")
    with pytest.raises(InputError, match="id 'q8' is no judged answer"):
        review(["import", *own])
    with pytest.raises(InputError, match=r"run none: no questions\.json"):
        review(["export", "--run", "none", "--uri", uri])
