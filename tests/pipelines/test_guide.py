"""What the UI is told: descriptions, columns and the order of its charts."""

import json

from pipelines import guide, view
from pipelines.tracking import HEADLINE
from pipelines.tracking.logged_names import PREFIXES, metric, param


def test_a_description_is_renewed_below_what_people_wrote() -> None:
    first = guide.described("", guide.experiment("1"))
    assert first == guide.experiment("1")
    own = "Nur für die Technik.\n\n"
    again = guide.described(own + first, guide.experiment("1", "| best |"))
    assert again == own + guide.experiment("1", "| best |")
    assert again.count(guide.HEAD) == 1
    assert again.endswith("## The latest sweep\n\n| best |")


def test_the_description_links_the_table_of_runs() -> None:
    assert f"(#{view.address('7')[2:]})" in guide.experiment("7")  # `/#/experiments/7/...` within the UI


def test_the_view_shows_names_as_they_are_logged() -> None:
    assert set(view.METRICS) == set(HEADLINE)
    assert [metric(name) for name in view.METRICS] == list(view.METRICS)
    assert [param(name) for name in view.PARAMS] == list(view.PARAMS)


def test_charts_of_the_headline_come_before_the_folded_sections() -> None:
    state = json.loads(view.state())
    sections = [(section["name"], section["display"]) for section in state["compareRunSections"]]
    assert sections[0] == ("Model metrics", True)
    assert sorted(sections[1:]) == sorted((prefix.rstrip("/"), False) for prefix in PREFIXES)
    assert {chart["metricSectionId"] for chart in state["compareRunCharts"]} == {state["compareRunSections"][0]["uuid"]}
