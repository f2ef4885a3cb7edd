"""The strongest attention of one head among some tokens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from encoder.errors import ShapeError
from encoder.runs.arrays import FloatArray


def strongest_cell(weights: FloatArray, queries: Sequence[int], keys: Sequence[int]) -> tuple[int, int]:
    """The query and the key with the largest weight between two different tokens.

    Args:
        weights: (T, T) of one head, query by key.
        queries, keys: the tokens among which they are looked for.
    Returns:
        The query and the key; the same token twice where there are no two.
    Raises:
        ShapeError: no queries or no keys.
    """
    if not queries or not keys:
        raise ShapeError("A query and a key are looked for among no tokens.")
    among = weights[np.ix_(queries, keys)].astype(np.float32)  # (Q, S)
    same = np.equal.outer(np.array(queries), np.array(keys))  # (Q, S)
    if not same.all():
        among = np.where(same, -1, among)
    row, column = np.unravel_index(int(among.argmax()), among.shape)
    return queries[int(row)], keys[int(column)]
