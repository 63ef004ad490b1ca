import pytest

from pipelines import progress
from pipelines.progress import at_point, bar, working


def done() -> int:
    (shown,) = progress._shown
    return int(shown.bar.n)


def test_the_bar_counts_characters_and_never_overshoots(capsys: pytest.CaptureFixture[str]) -> None:
    with bar(characters=100, points=2):
        with at_point("a"), working("embedding", ["x" * 10, "y" * 30]) as advance:
            advance(1)  # one text stands for (10 + 30) / 2 characters
            assert done() == 20
            advance(1)
            assert done() == 40
        with at_point("b"), working("reranking", ["z" * 50]) as advance:
            advance(1)
            assert done() == 90
            advance(1)
            assert done() == 100
    assert "100% |" in capsys.readouterr().err


def test_what_a_model_has_read_counts_once(capsys: pytest.CaptureFixture[str]) -> None:
    with bar(characters=100, points=2):
        for reader, expected in (("e5", 40), ("e5", 40), ("minilm", 80)):
            with working("embedding", ["x" * 10, "y" * 30], reader) as advance:
                advance(2)
            assert done() == expected
        with working("embedding", ["x" * 10, "z" * 10], "e5") as advance:
            advance(2)  # only z is new
        assert done() == 90


def test_the_bar_ends_full_when_less_was_read_than_expected() -> None:
    with bar(characters=100, points=1):
        shown = progress._shown[0].bar
    assert shown.n == 100


def test_it_says_what_is_done_at_which_point(capsys: pytest.CaptureFixture[str]) -> None:
    with bar(characters=10, points=2), at_point("structure-64/0"):
        with working("embedding", ["a", "b"]):
            pass
        with working("retrieving"):
            pass
    shown = capsys.readouterr().err
    assert "1/2 structure-64/0: embedding (2)" in shown
    assert "1/2 structure-64/0: retrieving" in shown


def test_a_failed_command_leaves_no_bar_behind() -> None:
    with pytest.raises(ValueError, match="mitten"), bar(characters=10, points=1):
        raise ValueError("mitten drin")
    assert progress._shown == []


def test_stages_work_without_a_bar() -> None:
    with at_point("a"), working("embedding", ["text"]) as advance:
        advance(1)
    with working("nothing to read", []) as advance:
        advance(0)


def test_nothing_to_read_is_no_division_by_zero() -> None:
    with bar(characters=0, points=1), at_point("a"), working("embedding", []) as advance:
        advance(3)
        assert done() == 0


def test_the_bar_of_a_search_counts_points() -> None:
    with bar(None, points=4):
        with at_point("a"), working("embedding", ["x" * 1000]) as advance:
            advance(1)
            assert done() == 0
        assert done() == 1
