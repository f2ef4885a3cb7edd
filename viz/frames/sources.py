"""What a table of texts in Python is made of: frames, records, mappings, and tables of other libraries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import pandas as pd
import pyarrow as pa

from encoder.collection.growing_table import UNBOUNDED, GrowingTable, cell_text
from encoder.collection.table import unique_names
from encoder.errors import DataError


def table_of(source: Any) -> tuple[pa.Table, pd.Index | None, tuple[str, ...]]:
    """Columns of text, the index of a frame, and remarks. Raises DataError."""
    from encoder.collection.arrow_files import table_of_texts

    if isinstance(source, Mapping) and source and all(hasattr(part, "column_names") for part in source.values()):
        raise DataError(f"This holds several tables: take one, such as source[{next(iter(source))!r}].")
    if (arrow := _arrow_of(source)) is not None:
        ends = hasattr(source, "__len__") or arrow.num_rows <= UNBOUNDED.rows
        read = table_of_texts(arrow if ends else arrow.slice(0, UNBOUNDED.rows), "the table", UNBOUNDED)
        said = () if ends else (f"The first {UNBOUNDED.rows:,} rows of the stream are read.",)
        return read.table, None, (*said, *read.remarks)
    frame = _frame_of(source)
    names = unique_names([str(column) for column in frame.columns])
    table = GrowingTable("the table", UNBOUNDED)
    cells: dict[str, pa.Array] = {}
    for place, name in enumerate(names):
        column = _whole(frame.iloc[:, place])
        is_nested = any(isinstance(cell, dict) for cell in column)
        cells |= table.arrays(name, column) if is_nested else {name: table.array([*map(_cell, column)])}
    table.extend([pa.table(cells)])
    return table.finish(), frame.index, tuple(table.remarks)


def _arrow_of(source: Any) -> pa.Table | None:
    """A table of Arrow, of polars, or a data set of `datasets`, with the names of its classes; None for another."""
    if isinstance(source, pa.RecordBatch):
        return pa.Table.from_batches([source])
    if isinstance(source, pa.Table):
        return source
    if hasattr(source, "features") and hasattr(source, "with_format"):
        schema: Any = None if source.features is None else source.features.arrow_schema
        if not hasattr(source, "__len__"):  # a stream, which may have no end
            return pa.Table.from_pylist(list(islice(source.with_format(None), UNBOUNDED.rows + 1)), schema)
        return source.with_format("arrow")[:].replace_schema_metadata(schema.metadata)
    if type(source).__module__.startswith("polars"):
        found = source.collect() if hasattr(source, "collect") else source
        return found.to_frame("text").to_arrow() if not hasattr(found, "columns") else found.to_arrow()
    return None


def _frame_of(source: Any) -> pd.DataFrame:
    """Columns, or rows, as a frame. Raises DataError."""
    if isinstance(source, pd.Series):
        return source.to_frame("text")
    if isinstance(source, pd.DataFrame) or hasattr(source, "to_pandas"):
        found = source if isinstance(source, pd.DataFrame) else source.to_pandas()
        return found.to_frame("text") if isinstance(found, pd.Series) else found
    if not isinstance(source, Mapping):
        if not isinstance(source, Iterable):
            raise DataError(
                f"A table is read from a path, a frame or a list of texts, not from a {type(source).__name__}."
            )
        source = list(source)
        if not source or not all(isinstance(row, Mapping) for row in source):
            return _frame_of_texts(source)
    try:
        return _frame_with(source)
    except ValueError as error:  # columns of different lengths
        raise DataError(f"These columns make no table: {error}.") from error


def _frame_of_texts(rows: Sequence[Any]) -> pd.DataFrame:
    pairs = [row if isinstance(row, tuple) else (row, None) for row in rows]
    for number, pair in enumerate(pairs):
        if len(pair) != 2 or not all(isinstance(each, str) or _cell(each) is None for each in pair):
            raise DataError(f"Row {number}, counted from 0, is {rows[number]!r}: give a text, or a pair as (a, b).")
    columns = {"text": [a for a, _ in pairs]}
    return _frame_with(columns | ({"text_b": [b for _, b in pairs]} if any(b is not None for _, b in pairs) else {}))


def _frame_with(columns: Any) -> pd.DataFrame:
    """A frame, also of texts that pandas cannot encode: those with half a pair of surrogates."""
    try:
        return pd.DataFrame(columns)
    except UnicodeEncodeError:
        return pd.DataFrame(columns, dtype=object)


def _whole(column: pd.Series) -> pd.Series:
    """Whole numbers as such, where pandas has made them fractions because cells are missing: 1.0 is 1."""
    known = column.dropna()
    is_whole = len(known) < len(column) and column.dtype.kind == "f" and bool((known % 1 == 0).all())
    return column.astype("Int64") if is_whole else column


def _cell(cell: Any) -> str | None:
    """The text of a cell; None for an empty one."""
    if pd.api.types.is_scalar(cell) and not isinstance(cell, bytes):
        return None if pd.isna(cell) else str(cell)
    return cell_text(cell)
