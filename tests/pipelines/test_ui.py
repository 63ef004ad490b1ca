"""The MLflow UI as a person sees it: `make test-ui` opens it in Chromium and reads the pages of a small real sweep."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import mlflow
import pytest
from browser import page, server, shoot
from tiny import MATERIAL, exit_code, point_runs, rows, workplace

from pipelines import view
from pipelines.evaluate import evaluate
from pipelines.promote import promote
from pipelines.sweep import sweep
from pipelines.tracking import HEADLINE

pytestmark = [pytest.mark.ui, pytest.mark.model]

OWN = (*MATERIAL, "chunking.overlap=0", "embedding=minilm", "reranker=none", "measures.latency_questions=1")


@dataclass
class UI:
    page: Any
    address: str

    def open(self, path: str, wait_for: str) -> None:
        """A page, once it shows a text. Its state is in the part after `#`, so it is loaded anew."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.address}{path}")
        self.page.get_by_text(wait_for).first.wait_for()

    def texts(self, selector: str) -> list[str]:
        return [text.strip() for text in self.page.locator(selector).all_inner_texts()]


@pytest.fixture(scope="module")
def ui(tmp_path_factory: pytest.TempPathFactory) -> Iterator[UI]:
    folder = tmp_path_factory.mktemp("ui")
    with workplace(folder):
        assert exit_code(sweep, [*OWN, "baselines=[]", "chunking.size=64", "retrieval.top_k=1,2"]) == 0
        assert exit_code(evaluate, [*OWN, "chunking.size=32", "retrieval.top_k=2"]) == 0
        assert promote([point_runs()[0].info.run_id, "force=true", "--tag", "abteilung=Technik"]) == 0
        with server(folder / "server.log") as address, page() as opened:
            yield UI(opened, address)


def test_the_view_of_a_sweep_shows_the_headline_metrics_with_the_best_run_first(ui: UI) -> None:
    ui.open(view.address("1"), "matching runs")
    ui.page.locator("[role=gridcell]").get_by_text("structure-64/0").first.wait_for()
    shoot(ui.page, "runs")
    columns = ui.texts("[role=columnheader]")
    assert {"Run Name", *HEADLINE} <= set(columns)
    assert not [name for name in columns if "/" in name]  # nothing of the long tail
    best = max(point_runs(), key=lambda run: run.data.metrics["correct"])
    shown = [text for text in ui.texts("[role=row]") if "·" in text]
    assert best.data.metrics["correct"] == next(
        run.data.metrics["correct"] for run in point_runs() if run.info.run_name in shown[0]
    )
    assert "sweep · 2 points" in shown[-1]  # it has no metrics of its own


def test_points_are_nested_below_their_sweep(ui: UI) -> None:
    ui.open("/#/experiments/1/runs?orderByKey=attributes.start_time&orderByAsc=false", "matching runs")
    ui.page.locator("[role=gridcell]").get_by_text("sweep · 2 points").first.wait_for()
    closed = ui.page.locator("[role=gridcell]").get_by_text("structure-64/0 · minilm · hybrid · top 1 · no reranker")
    assert not closed.count()
    ui.page.locator("[role=gridcell] button[data-component-id*=runnamecell]").first.click()
    closed.first.wait_for()
    shoot(ui.page, "nested")


def test_charts_begin_with_the_headline(ui: UI) -> None:
    ui.open(f"{view.address('1')}&compareRunsMode=CHART", "Model metrics")
    ui.page.get_by_text("detail/causes").first.wait_for()
    shoot(ui.page, "charts")
    text = ui.page.locator("body").inner_text()
    assert text.index("Model metrics") < text.index("\nrecall_at_8") < text.index("\ndetail")
    assert "detail/recall_at_5" not in text  # its section is folded


def test_the_table_view_sets_the_labels_of_runs_side_by_side(ui: UI) -> None:
    ui.open(f"{view.address('1')}&compareRunsMode=ARTIFACT", "questions.json")
    for button, chosen in (("Group by:", "question"), ("Compare:", "label")):
        ui.page.get_by_text(button).first.click()
        choice = ui.page.get_by_role("menuitemcheckbox", name=chosen, exact=True)
        choice = choice.or_(ui.page.get_by_role("option", name=chosen, exact=True))
        choice.or_(ui.page.get_by_role("menuitemradio", name=chosen, exact=True)).first.click()
        ui.page.keyboard.press("Escape")
    ui.page.get_by_text("Podestleiter wann prüfen?").first.wait_for()
    ui.page.get_by_text("correct", exact=True).first.wait_for()
    shoot(ui.page, "labels")
    for asked in ("wieviel urlaub hab ich", "Podestleiter wann prüfen?"):
        assert ui.page.get_by_text(asked).count()


def test_a_failed_question_has_a_trace_with_its_passages(ui: UI) -> None:
    run = point_runs()[-1]
    failed = [own for own, row in rows(run).items() if row["label"] != "correct"]
    assert failed
    trace = next(
        found
        for found in mlflow.search_traces(locations=["1"], run_id=run.info.run_id, return_type="list")
        if found.info.tags["question"] == failed[0]
    )
    path = f"/#/experiments/1/runs/{run.info.run_id}/traces"
    ui.open(path, trace.info.request_preview)
    shoot(ui.page, "traces")
    ui.open(f"{path}?selectedEvaluationId={trace.info.trace_id}", "retrieve")
    for step in ("retrieve", "dense", "bm25", "answer", "judge"):
        ui.page.get_by_text(step, exact=True).first.wait_for()
    ui.page.get_by_text("retrieve", exact=True).first.click()
    ui.page.get_by_text(trace.data.spans[1].outputs[0]["metadata"]["doc_uri"]).first.wait_for()
    shoot(ui.page, "trace")


def test_the_description_of_a_sweep_says_what_is_where(ui: UI) -> None:
    parent = point_runs()[0].data.tags["mlflow.parentRunId"]
    ui.open(f"/#/experiments/1/runs/{parent}", "points, best share of correct answers first")
    ui.page.get_by_text("Every point is a run of its own").first.wait_for()
    shoot(ui.page, "sweep")


def test_the_champion_has_its_alias_and_tags(ui: UI) -> None:
    ui.open("/#/models/rag-pipeline/versions/1", "champion")
    shown = ui.page.locator("body").inner_text()
    for text in ("abteilung", "Technik", "forced", "reasons", "promoted_by", "fingerprint"):
        assert text in shown
    shoot(ui.page, "model")
