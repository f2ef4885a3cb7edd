"""Slices of a table: rows with one value in a column, with a number in a range, or of some length."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from encoder.collection.kinds.base import Results
from encoder.collection.table import Collection

EQUALS: Final = "="  # between a column and a value
TOKENS: Final = "tokens"  # the column of the lengths
NUMBER: Final = r"-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?"
RANGE: Final = re.compile(f"({NUMBER})-({NUMBER})")
FEWEST, MOST_VALUES = 5, 20  # rows of a slice, and slices of a column
QUARTERS: Final = 4  # slices of a column of many numbers
Bools = NDArray[np.bool_]
Numbers = NDArray[np.floating[Any]]


class RowSlice(NamedTuple):
    """Some rows.

    Attributes:
        rows: the filter, such as "topic=hotel", "price=3.5-12" or "tokens=3-12".
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


class TriedSlices(NamedTuple):
    """The slices of a table that are compared.

    Attributes:
        slices: of at least `FEWEST` rows each.
        left_out: values of columns with many, of which only the most frequent are slices.
        rare: columns of which no value is in so many rows.
    """

    slices: tuple[RowSlice, ...]
    left_out: Mapping[str, int]
    rare: tuple[str, ...]


def slices_to_compare(collection: Collection, results: Results) -> TriedSlices:
    """Slices by every column and by length, of the rows that have a label.

    A column of at most `MOST_VALUES` values has a slice for each; one of more numbers has quarters; of another one the
    most frequent values are taken. Values of the label are classes, which have a table of their own.
    """
    has = results.has_gold
    names: list[str] = []
    left_out: dict[str, int] = {}
    rare: list[str] = []
    for column in _columns(collection):
        if column == collection.label:
            continue
        values, counts = _value_counts(collection, column, has)
        if len(values) > MOST_VALUES and (numbers := _numbers(collection, column)) is not None:
            names += _quarters(column, numbers[has])
            continue
        order = np.argsort(-counts, kind="stable")[:MOST_VALUES]
        frequent = [values[index] for index in order if counts[index] >= FEWEST]
        names += [f"{column}{EQUALS}{value}" for value in frequent]
        if not frequent:
            rare.append(column)
        elif len(values) > MOST_VALUES:
            left_out[column] = len(values) - len(frequent)
    names += _quarters(collection.unused_name(TOKENS), results.lengths[has].astype(np.float64))
    found = [find_slice(name, collection, results) for name in names]
    slices = tuple(each for each in found if each is not None and (each.members & has).sum() >= FEWEST)
    return TriedSlices(slices, left_out, tuple(rare))


def find_slice(rows: str, collection: Collection, results: Results) -> RowSlice | None:
    """The slice that a filter names, or None."""
    columns, lengths = _columns(collection), collection.unused_name(TOKENS)
    for place, character in enumerate(rows):
        column, value = rows[:place], rows[place + 1 :]
        if character != EQUALS or column not in (*columns, lengths):
            continue
        if column in columns:
            cells = pc.fill_null(collection.table.column(column), "")
            members = np.asarray(pc.equal(cells, value).to_numpy(zero_copy_only=False), bool)
            if members.any():
                return RowSlice(rows, column, value, None, members)
        if bounds := RANGE.fullmatch(value):
            numbers = results.lengths if column == lengths else _numbers(collection, column)
            if numbers is not None:
                low, high = bounds.groups()
                inside = (numbers >= float(low)) & (numbers <= float(high))
                return RowSlice(rows, None if column == lengths else column, None, (low, high), inside)
    return None


def _quarters(column: str, numbers: Numbers) -> list[str]:
    """The filters of quarters of the numbers, each from its smallest to its largest one."""
    known = numbers[np.isfinite(numbers)]
    if not len(known):
        return []
    edges = np.unique(np.quantile(known, np.linspace(0, 1, QUARTERS + 1)))
    quarter = np.maximum(np.searchsorted(edges, known), 1)  # the first one includes its lower edge
    ranges = [known[quarter == index] for index in range(1, max(len(edges), 2))]
    return [f"{column}{EQUALS}{_written(each.min())}-{_written(each.max())}" for each in ranges if len(each)]


def _value_counts(collection: Collection, column: str, rows: Bools) -> tuple[list[str], NDArray[np.int64]]:
    """The different cells of some rows in the order of the table, "" for empty ones, and how many rows have each."""
    counted = pc.value_counts(pc.fill_null(collection.table.column(column), "").filter(pa.array(rows)))
    return counted.field("values").to_pylist(), np.asarray(counted.field("counts"), np.int64)


def _numbers(collection: Collection, column: str) -> Numbers | None:
    """(N,) the numbers of a column, NaN of empty cells; None if a cell holds something else."""
    cells = pc.utf8_trim_whitespace(collection.table.column(column))
    try:
        numbers = pc.cast(pc.if_else(pc.equal(cells, ""), None, cells), pa.float64())
    except pa.ArrowInvalid:
        return None
    return np.asarray(pc.fill_null(numbers, np.nan).to_numpy(zero_copy_only=False), np.float64)


def _written(number: float) -> str:
    """A number that reads back as itself."""
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(float(number))


def _columns(collection: Collection) -> list[str]:
    return [name for name in collection.columns if name not in (collection.text, collection.text_b)]
