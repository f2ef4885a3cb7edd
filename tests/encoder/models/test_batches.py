"""How texts come into batches."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from encoder.models.tensors import batches_within


def test_a_text_that_is_longer_than_the_budget_is_alone() -> None:
    assert batches_within([0, 1, 2, 3], [2, 3, 9, 1], 6) == [[0, 1], [2], [3]]
    assert batches_within([], [], 6) == []


@given(st.lists(st.integers(1, 40), max_size=60), st.integers(40, 200))
def test_batches_keep_the_order_and_are_as_long_as_they_can_be(lengths: list[int], budget: int) -> None:
    batches = batches_within(range(len(lengths)), lengths, budget)
    assert [index for batch in batches for index in batch] == list(range(len(lengths)))
    for batch, following in pairwise(batches):
        longer = [*batch, following[0]]
        assert max(lengths[index] for index in longer) * len(longer) > budget
