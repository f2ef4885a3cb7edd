"""Slices of a table in words, and whether an address can name them."""

from __future__ import annotations

from typing import Final

from encoder.collection.row_slices import RowSlice
from viz.state.codecs import LONGEST_ROWS
from viz.wording.labels import make_visible, shorten

LONGEST: Final = 40  # characters of a slice's value


def title_of(chosen: RowSlice) -> str:
    """A slice in words: "topic: hotel", "price: 3.5 to 12", "3 to 12 tokens"."""
    if chosen.bounds is None:
        return f"{chosen.column}: {shorten(make_visible(chosen.value or 'empty'), LONGEST)}"
    low, high = chosen.bounds
    return f"{low} to {high} tokens" if chosen.column is None else f"{chosen.column}: {low} to {high}"


def is_in_address(rows: str) -> bool:
    """Whether an address can name a filter."""
    return len(rows) <= LONGEST_ROWS and rows.isprintable()
