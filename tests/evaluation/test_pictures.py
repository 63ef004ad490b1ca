import sys
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from evaluation.causes import waterfall
from evaluation.pictures import waterfall_figure
from evaluation.records import Evidence


def texts(figure: Figure) -> list[str]:
    (axes,) = figure.axes
    return [text.get_text().strip() for text in axes.texts]


def test_the_waterfall_says_what_each_stage_lost(tmp_path: Path) -> None:
    unit = Evidence("urlaub", 0, 100, "section")
    figure = waterfall_figure(waterfall([{unit: None}, {unit: None}, {unit: "cut_apart"}, {unit: "cut_by_top_k"}]))
    assert texts(figure) == ["4", "0", "−1 (25.0%)", "0", "0", "0", "−1 (25.0%)", "2 (50.0%)"]
    file = tmp_path / "waterfall.png"
    figure.savefig(file)
    assert file.read_bytes().startswith(b"\x89PNG")


def test_a_run_without_evidence_has_a_picture_too() -> None:
    assert texts(waterfall_figure(waterfall([]))) == ["0"] * 8


def test_no_global_pyplot_state_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)
    waterfall_figure(waterfall([]))
    assert "matplotlib.pyplot" not in sys.modules
