"""Softmax in numpy, against torch's."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from encoder.runs.arrays import softmax

SCORES = arrays(np.float32, (3, 4), elements=st.floats(-1e4, 1e4, width=32))


@given(SCORES)
def test_softmax_equals_torchs_and_rows_sum_to_1(scores: np.ndarray) -> None:
    before = scores.copy()
    probabilities = softmax(scores)
    np.testing.assert_allclose(probabilities, torch.tensor(scores).softmax(-1).numpy(), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(probabilities.sum(-1), 1, rtol=1e-6)
    assert probabilities.dtype == np.float32
    np.testing.assert_array_equal(scores, before)


def test_what_may_not_be_attended_gets_nothing_and_a_row_of_it_stays_zero() -> None:
    scores = np.array([[0, -np.inf, 0], [-np.inf] * 3], np.float32)
    np.testing.assert_array_equal(softmax(scores), [[0.5, 0, 0.5], [0, 0, 0]])
