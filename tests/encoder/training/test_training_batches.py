"""How training splits examples and reviews into batches."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder.training.examples import Example, batches_of
from encoder.training.reviews import batches_of as batches_of_reviews

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
