from hypothesis import given
from hypothesis import strategies as st

from rag.batches import token_batches


def test_longest_first_and_within_the_budget() -> None:
    # 9 alone (2 * 9 > 10), 5 and 4 (2 * 5 <= 10), then 3 and 1 (2 * 3 <= 10)
    assert list(token_batches([4, 1, 9, 3, 5], budget=10)) == [[2], [4, 0], [3, 1]]


@given(st.lists(st.integers(1, 30)), st.integers(1, 60))
def test_every_position_once_and_no_batch_over_budget(lengths: list[int], budget: int) -> None:
    batches = list(token_batches(lengths, budget))
    assert sorted(position for batch in batches for position in batch) == list(range(len(lengths)))
    assert all(len(batch) == 1 or len(batch) * max(lengths[p] for p in batch) <= budget for batch in batches)
