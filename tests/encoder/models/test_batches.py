"""How texts come into batches."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder.models.tensors import batches_within
from encoder.training.examples import Example, batches_of
from encoder.training.reviews import batches_of as batches_of_reviews


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


LENGTHS = st.lists(st.integers(1, 40), max_size=60)


def _example_batches(lengths: list[int], budget: int, shuffled: bool) -> list[list[int]]:
    examples = [Example(np.zeros(length, np.int64)) for length in lengths]
    return batches_of(examples, budget, np.random.default_rng(0) if shuffled else None)


def _review_batches(lengths: list[int], budget: int, shuffled: bool) -> list[list[int]]:
    return batches_of_reviews([[0] * length for length in lengths], budget, random.Random(0) if shuffled else None)


@pytest.mark.parametrize("make", [_example_batches, _review_batches])
@given(LENGTHS, st.integers(40, 200), st.booleans())
def test_each_text_is_in_one_batch_within_budget(
    make: Callable[[list[int], int, bool], list[list[int]]], lengths: list[int], budget: int, shuffled: bool
) -> None:
    batches = make(lengths, budget, shuffled)
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    assert all(max(lengths[index] for index in batch) * len(batch) <= budget for batch in batches)
