"""Softmax of numpy arrays."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from encoder.runs.arrays import softmax

Scores = arrays(np.float32, array_shapes(max_dims=3, max_side=5), elements=st.floats(-1e4, 1e4, width=32))


@given(Scores)
def test_probabilities_sum_to_one_and_scores_stay(scores: np.ndarray) -> None:
    before = scores.copy()
    found = softmax(scores)
    exact = np.exp(before.astype(np.float64) - before.max(axis=-1, keepdims=True))
    np.testing.assert_allclose(found, exact / exact.sum(axis=-1, keepdims=True), atol=1e-6)
    np.testing.assert_array_equal(scores, before)


@given(Scores)
def test_scores_that_are_not_needed_hold_the_same_numbers(scores: np.ndarray) -> None:
    elsewhere = softmax(scores)
    assert softmax(scores, out=scores) is scores
    np.testing.assert_array_equal(scores, elsewhere)


def test_what_may_not_be_attended_has_no_probability() -> None:
    scores = np.array([[0, -np.inf], [-np.inf, -np.inf]], np.float32)
    np.testing.assert_array_equal(softmax(scores), [[1, 0], [0, 0]])
    np.testing.assert_array_equal(softmax(scores, out=scores), [[1, 0], [0, 0]])
