"""Slices of a table in words, and whether an address can name them."""

from __future__ import annotations

from encoder.collection.row_slices import RowSlice
from viz.state.codecs import LONGEST_ROWS
from viz.wording.labels import name_label


def title_of(chosen: RowSlice) -> str:
    """A slice in words: "topic: hotel", "price: 3.5 to 12", "3 to 12 tokens"."""
    if chosen.bounds is None:
        return f"{chosen.column}: {name_label(chosen.value or 'empty')}"
    low, high = chosen.bounds
    return f"{low} to {high} tokens" if chosen.column is None else f"{chosen.column}: {low} to {high}"


def is_in_address(rows: str) -> bool:
    """Whether an address can name a filter."""
    return len(rows) <= LONGEST_ROWS and rows.isprintable()
