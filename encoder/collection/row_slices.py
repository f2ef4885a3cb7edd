"""Slices of a table: rows with one value in a column, or of some length."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from encoder.collection.results import Results
from encoder.collection.table import Collection

EQUALS: Final = "="  # between a column and a value
LENGTH: Final = re.compile("tokens=([0-9]{1,9})-([0-9]{1,9})")
Bools = NDArray[np.bool_]


class RowSlice(NamedTuple):
    """Some rows.

    Attributes:
        rows: the filter, such as "topic=hotel" or "tokens=3-12".
        column: of the table; None for a slice by length.
        value: of all of its rows; "" where the cells are empty. None for a range.
        bounds: the smallest and the largest number of a range, as written.
        members: (N,) whether each row is one of them.
    """

    rows: str
    column: str | None
    value: str | None
    bounds: tuple[str, str] | None
    members: Bools


def find_slice(rows: str, collection: Collection, results: Results) -> RowSlice | None:
    """The slice that a filter names, or None."""
    columns = [name for name in collection.columns if name not in (collection.text, collection.text_b)]
    for place, character in enumerate(rows):
        column, value = rows[:place], rows[place + 1 :]
        if character == EQUALS and column in columns:
            cells = pc.fill_null(collection.table.column(column), "")
            members = np.asarray(pc.equal(cells, value).to_numpy(zero_copy_only=False), bool)
            if members.any():
                return RowSlice(rows, column, value, None, members)
    if length := LENGTH.fullmatch(rows):
        low, high = length.groups()
        inside = (results.lengths >= int(low)) & (results.lengths <= int(high))
        return RowSlice(rows, None, None, (low, high), inside)
    return None
