"""Slices of a table: the rows with one value in a column, or of some length, and the filters that name them."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from encoder.collection.results import Results
from encoder.collection.table import Collection
from viz.state.codecs import LONGEST_ROWS
from viz.wording.labels import make_visible, shorten

EQUALS: Final = "="  # between a column and a value
LENGTH: Final = re.compile("tokens=([0-9]{1,9})-([0-9]{1,9})")
FEWEST, MOST_VALUES = 5, 20  # rows of a slice, and different values of a column
QUARTERS: Final = 4  # slices by length
LONGEST: Final = 40  # characters of a slice's value
Bools = NDArray[np.bool_]


class RowSlice(NamedTuple):
    """Some rows.

    Attributes:
        rows: the filter, such as "topic=hotel" or "tokens=3-12".
        title: in words.
        members: (N,) whether each row is one of them.
    """

    rows: str
    title: str
    members: Bools


def slices_to_compare(collection: Collection, results: Results) -> list[RowSlice]:
    """The frequent values of columns that have few, and quarters by length; of the rows that have a label.

    Values of the label are classes, which have a table of their own.
    """
    has = results.has_gold
    found: list[RowSlice | None] = []
    for column in _columns(collection):
        if column == collection.label or collection.num_values(column) > MOST_VALUES:
            continue
        counts = Counter(collection.column(column, np.flatnonzero(has).tolist()))
        if 1 < len(counts) <= MOST_VALUES:
            found += [find_slice(f"{column}{EQUALS}{value}", collection, results) for value in counts]
    edges = np.unique(np.quantile(results.lengths[has], np.linspace(0, 1, QUARTERS + 1)).round()).astype(int)
    for index, (low, high) in enumerate(pairwise(edges)):
        found.append(find_slice(f"tokens={low if index == 0 else low + 1}-{high}", collection, results))
    return [each for each in found if each is not None and (each.members & has).sum() >= FEWEST]


def find_slice(rows: str, collection: Collection, results: Results) -> RowSlice | None:
    """The slice that a filter names, or None."""
    columns = _columns(collection)
    for place, character in enumerate(rows):
        column, value = rows[:place], rows[place + 1 :]
        if character == EQUALS and column in columns:
            cells = pc.fill_null(collection.table.column(column), "")
            members = np.asarray(pc.equal(cells, value).to_numpy(zero_copy_only=False), bool)
            if members.any():
                return RowSlice(
                    rows, f"{column}: {shorten(make_visible(value), LONGEST) if value else 'empty'}", members
                )
    if length := LENGTH.fullmatch(rows):
        low, high = map(int, length.groups())
        return RowSlice(rows, f"{low} to {high} tokens", (results.lengths >= low) & (results.lengths <= high))
    return None


def is_in_address(rows: str) -> bool:
    """Whether an address can name a filter."""
    return len(rows) <= LONGEST_ROWS and rows.isprintable()


def _columns(collection: Collection) -> list[str]:
    return [name for name in collection.columns if name not in (collection.text, collection.text_b)]
