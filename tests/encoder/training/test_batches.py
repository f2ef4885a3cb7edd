"""How examples come into batches."""

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from encoder.training.examples import Example, batches_of
from encoder.training.reviews import batches_of as batches_of_reviews

LENGTHS = st.lists(st.integers(1, 40), max_size=60)


@given(LENGTHS, st.integers(40, 200), st.booleans())
def test_every_example_is_in_one_batch_and_no_batch_is_over_budget(
    lengths: list[int], budget: int, shuffled: bool
) -> None:
    examples = [Example(np.zeros(length, np.int64)) for length in lengths]
    batches = batches_of(examples, budget, np.random.default_rng(0) if shuffled else None)
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    assert all(max(lengths[index] for index in batch) * len(batch) <= budget for batch in batches)


@given(LENGTHS, st.integers(40, 200), st.booleans())
def test_every_review_is_in_one_batch_and_no_batch_is_over_budget(
    lengths: list[int], budget: int, shuffled: bool
) -> None:
    ids = [[0] * length for length in lengths]
    batches = batches_of_reviews(ids, budget, random.Random(0) if shuffled else None)
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    assert all(max(lengths[index] for index in batch) * len(batch) <= budget for batch in batches)
