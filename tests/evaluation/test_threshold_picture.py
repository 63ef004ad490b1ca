from pathlib import Path

from evaluation.threshold import NEVER, Case, effect, trade_off
from evaluation.threshold_picture import threshold_figure

CASES = [
    Case(0.80, True, "wrong"),
    Case(0.82, False, "wrong"),
    Case(0.84, True, "correct"),
    Case(0.86, False, "wrong"),
]
HELD_OUT = [Case(0.80, True, "correct"), Case(0.90, False, "wrong")]


def test_the_trade_off_and_what_the_choice_does_to_both_halves(tmp_path: Path) -> None:
    effects = trade_off(CASES)
    figure = threshold_figure(effects, effects[2], effect(HELD_OUT, 0.83), 0.25, "Threshold")
    left, right = figure.axes
    drawn = {str(line.get_label()): list(zip(*line.get_data(), strict=True)) for line in left.lines}
    assert drawn == {
        "Chance": [(0, 1), (1, 0)],
        "Tuning split": [(0, 1), (1 / 2, 1), (1 / 2, 1 / 2), (1, 1 / 2)],
        "At 0.83": [(1 / 2, 1 / 2)],
        "At 0.83, held-out split": [(1, 1)],
    }
    shares = {str(line.get_label()): list(line.get_ydata()) for line in right.lines}
    assert shares["wrong"] == [3 / 4, 2 / 4, 1 / 4, 1 / 4]
    assert shares["correct"] == [1 / 4, 1 / 4, 2 / 4, 1 / 4]
    assert shares["Limit of wrong"] == [0.25, 0.25]
    file = tmp_path / "threshold.png"
    figure.savefig(file)
    assert file.read_bytes().startswith(b"\x89PNG")


def test_one_threshold_alone_has_a_picture_too() -> None:
    # All strengths are equal, so there is nothing between them.
    cases = [Case(0.8, True, "correct"), Case(0.8, False, "wrong")]
    (only,) = trade_off(cases)
    assert only.threshold == NEVER
    assert len(threshold_figure([only], only, only, 0.1, "Threshold").axes) == 2
