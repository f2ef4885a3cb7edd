"""Which heads carry many rows: heads that cannot reach the output are not compared."""

import numpy as np
import pytest

from encoder.collection.head_routes import HeadRoutes
from encoder.measures.ranks import rank_correlation


def test_heads_that_reach_nothing_take_no_part_in_the_halves() -> None:
    shares = np.random.default_rng(0).random((6, 3, 2), np.float32)
    shares[:, 2] = 0
    found = HeadRoutes(rows=np.arange(6), shares=shares)
    first, held_out = (half[:, :2].mean(0) for half in found.halves)
    assert found.rest["correlation"] == pytest.approx(rank_correlation(first, held_out))
    assert found.rest["shuffled"][0] > 0.1  # 0 where shuffling brings in the last layer's
