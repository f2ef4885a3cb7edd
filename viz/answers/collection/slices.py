"""Slices of a table: the rows with one value in a column, or of some length, and the filters that name them."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Final

import numpy as np

from encoder.collection.results import Results
from encoder.collection.row_slices import EQUALS, RowSlice, find_slice
from encoder.collection.table import Collection
from viz.state.codecs import LONGEST_ROWS
from viz.wording.labels import make_visible, shorten

FEWEST, MOST_VALUES = 5, 20  # rows of a slice, and different values of a column
QUARTERS: Final = 4  # slices by length
LONGEST: Final = 40  # characters of a slice's value


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


def title_of(chosen: RowSlice) -> str:
    """A slice in words: "topic: hotel", "3 to 12 tokens"."""
    if chosen.bounds is None:
        return f"{chosen.column}: {shorten(make_visible(chosen.value or 'empty'), LONGEST)}"
    low, high = chosen.bounds
    return f"{low} to {high} tokens"


def is_in_address(rows: str) -> bool:
    """Whether an address can name a filter."""
    return len(rows) <= LONGEST_ROWS and rows.isprintable()


def _columns(collection: Collection) -> list[str]:
    return [name for name in collection.columns if name not in (collection.text, collection.text_b)]
