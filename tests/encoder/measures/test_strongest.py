"""The strongest attention among some tokens."""

import numpy as np
import pytest

from encoder.errors import ShapeError
from encoder.measures.unit_attention import strongest_cell

WEIGHTS = np.array([[0.9, 0.05, 0.05], [0.2, 0.5, 0.3], [0.1, 0.6, 0.3]], np.float32)


def test_two_different_tokens_come_first() -> None:
    assert strongest_cell(WEIGHTS, [0, 1, 2], [0, 1, 2]) == (2, 1)
    assert strongest_cell(WEIGHTS, [1], [0, 1, 2]) == (1, 2)
    assert strongest_cell(WEIGHTS, [0, 1, 2], [0]) == (1, 0)
    assert strongest_cell(WEIGHTS, [0], [0, 2]) == (0, 2)


def test_where_there_is_one_token_it_is_taken_twice() -> None:
    assert strongest_cell(WEIGHTS, [1], [1]) == (1, 1)


def test_no_tokens_are_an_error() -> None:
    with pytest.raises(ShapeError, match="no tokens"):
        strongest_cell(WEIGHTS, [], [0])
