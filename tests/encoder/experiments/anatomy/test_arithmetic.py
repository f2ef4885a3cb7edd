"""The arithmetic of one number, against what is worked out by hand."""

import numpy as np
import pytest

from encoder.experiments.anatomy.arithmetic import DotProduct, Softmax, layer_norm

NUMBERS = np.array([3.0, 5.0, 10.0], dtype=np.float32)


def test_a_dot_product_is_summed_in_double_precision() -> None:
    left = np.array([1e8, 1.0, -1e8], dtype=np.float32)
    product = DotProduct(left=left, right=np.ones(3, dtype=np.float32), value=0.0)
    assert product.total == 1.0  # of float32, 0: the one is lost beside 1e8


def test_a_softmax_begins_with_the_largest_score() -> None:
    softmax = Softmax(scores=np.log(NUMBERS), index=0, value=3 / 18)
    assert softmax.largest == pytest.approx(np.log(10.0))
    assert softmax.exponentials == pytest.approx([0.3, 0.5, 1.0])
    assert softmax.total == pytest.approx(1.8)


def test_a_layer_norm_takes_its_numbers_from_one_dimension_and_its_deviation_from_all() -> None:
    gain, shift = np.array([1.0, 2.0, 3.0], dtype=np.float32), np.array([0.1, 0.2, 0.3], dtype=np.float32)
    norm = layer_norm(NUMBERS, 1, gain=gain, shift=shift, epsilon=2.0, value=0.5)
    assert (norm.number, norm.mean, norm.value) == (5.0, 6.0, 0.5)
    assert (norm.gain, norm.shift) == (2.0, pytest.approx(0.2))
    assert norm.deviation == pytest.approx(np.sqrt((9 + 1 + 16) / 3 + 2.0))


def test_epsilon_is_what_is_left_of_the_deviation_of_equal_numbers() -> None:
    equal = np.full(4, 7.0, dtype=np.float32)
    norm = layer_norm(equal, 0, gain=equal, shift=equal, epsilon=1e-4, value=0.0)
    assert norm.deviation == pytest.approx(0.01)
