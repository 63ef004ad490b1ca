import sys
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from evaluation.causes import waterfall
from evaluation.pictures import pareto_front, quality_latency_figure, waterfall_figure
from evaluation.records import Evidence


def texts(figure: Figure) -> list[str]:
    (axes,) = figure.axes
    return [text.get_text().strip() for text in axes.texts]


def test_the_waterfall_says_what_each_stage_lost(tmp_path: Path) -> None:
    unit = Evidence("urlaub", 0, 100, "section")
    figure = waterfall_figure(waterfall([{unit: None}, {unit: None}, {unit: "cut_apart"}, {unit: "cut_by_top_k"}]))
    assert texts(figure)[:8] == ["4", "0", "−1 (25.0%)", "0", "0", "0", "−1 (25.0%)", "2 (50.0%)"]
    assert texts(figure)[10] == "Cut apart by the chunking"  # beside the third of the eight bars
    file = tmp_path / "waterfall.png"
    figure.savefig(file)
    assert file.read_bytes().startswith(b"\x89PNG")


def test_a_run_without_evidence_has_a_picture_too() -> None:
    assert texts(waterfall_figure(waterfall([])))[:8] == ["0"] * 8


def test_no_global_pyplot_state_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)
    waterfall_figure(waterfall([]))
    assert "matplotlib.pyplot" not in sys.modules


POINTS = [
    ("slow and best", 200.0, 0.9, "b"),
    ("fast", 10.0, 0.5, "a"),
    ("slower and no better", 20.0, 0.5, "a"),
    ("middle", 50.0, 0.7, "b"),
    ("slower and worse", 60.0, 0.6, "b"),
    ("as slow as the middle and worse", 50.0, 0.65, "a"),
]


def test_the_front_holds_what_no_other_point_equals_or_beats_in_both() -> None:
    assert [name for name, *_ in pareto_front(POINTS)] == ["fast", "middle", "slow and best"]
    assert pareto_front(POINTS[:1]) == POINTS[:1]
    assert pareto_front([]) == []


def test_quality_against_latency_names_the_front(tmp_path: Path) -> None:
    figure = quality_latency_figure(POINTS)
    assert texts(figure) == ["1", "2", "3"]
    (axes,) = figure.axes
    (legend,) = figure.legends  # the series, then what the numbers stand for
    assert [text.get_text() for text in legend.get_texts()] == ["b", "a", "fast", "middle", "slow and best"]
    (line,) = axes.lines
    assert list(zip(*line.get_data(), strict=True)) == [(10.0, 0.5), (50.0, 0.7), (200.0, 0.9)]
    file = tmp_path / "quality.png"
    figure.savefig(file)
    assert file.read_bytes().startswith(b"\x89PNG")
