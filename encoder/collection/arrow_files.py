"""Parquet and Arrow files as tables of text, a batch of rows at a time, so that no file takes more than its text."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from encoder.collection.growing_table import Bounds, GrowingTable, cell_text, megabytes
from encoder.collection.table import ReadTable
from encoder.errors import DataError

BATCH: Final = 1_024  # rows
MOST_NAMED: Final = 4  # classes in a sentence
NOT_PARQUET: Final = "{} is not a Parquet file, or is damaged."
MOST_VALUES: Final = 20  # in lists, for each cell that may be read


def read_parquet(data: bytes, name: str, bounds: Bounds, leave_out: Sequence[str]) -> ReadTable:
    """A Parquet file. What it unpacks to is known before it is read: columns in dictionaries are read as such.

    Raises:
        DataError: it is broken, too large or empty.
    """
    try:
        file = pq.ParquetFile(BytesIO(data))
        about, schema = file.metadata, file.schema_arrow
        groups = [about.row_group(index) for index in range(about.num_row_groups)]
        chunks = [group.column(place) for group in groups for place in range(group.num_columns)]
    except (pa.ArrowException, OSError, UnicodeDecodeError, ValueError) as error:
        raise DataError(NOT_PARQUET.format(name)) from error
    names = [column for column in schema.names if column not in leave_out]
    if not names:
        raise DataError(f"{name} has no columns.")
    if len(names) > bounds.columns:
        raise DataError(f"{name} has {len(names):,} columns; at most {bounds.columns:,} are read.")
    unpacked, values = sum(each.total_uncompressed_size for each in chunks), sum(each.num_values for each in chunks)
    if unpacked > bounds.nbytes or values > MOST_VALUES * bounds.rows * len(names):
        raise DataError(f"{name} unpacks to more than {megabytes(bounds.nbytes)}: take some of its rows.")
    encoded = {each.path_in_schema for each in chunks if any("DICTIONARY" in kind for kind in each.encodings)}
    texts = [each.name for each in schema if each.name in encoded and _is_text(each.type)]
    try:
        batches = pq.ParquetFile(BytesIO(data), read_dictionary=texts).iter_batches(BATCH, columns=names)
        return _grown(batches, schema, name, bounds, "Parquet", about.num_rows)
    except (pa.ArrowException, OSError, UnicodeDecodeError, ValueError) as error:
        raise DataError(NOT_PARQUET.format(name)) from error


def read_arrow(data: bytes, name: str, bounds: Bounds) -> ReadTable:
    """An Arrow file or stream, such as those of `datasets`. Raises DataError where it is broken, or empty."""
    try:
        try:
            reader = pa.ipc.open_file(BytesIO(data))
            batches: Iterable[pa.RecordBatch] = map(reader.get_batch, range(reader.num_record_batches))
        except pa.ArrowInvalid:
            reader = batches = pa.ipc.open_stream(BytesIO(data))
        return _grown(batches, reader.schema, name, bounds, "Arrow")
    except (pa.ArrowException, OSError, UnicodeDecodeError, ValueError) as error:
        raise DataError(f"{name} is not an Arrow file, or is damaged.") from error


def table_of_texts(table: pa.Table, name: str, bounds: Bounds) -> ReadTable:
    """An Arrow table as one of text. Raises DataError where it has no rows or too many columns."""
    return _grown(table.to_batches(BATCH), table.schema, name, bounds, "Arrow")


def _grown(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, name: str, bounds: Bounds, kind: str, total: int | None = None
) -> ReadTable:
    if twice := [name for name, number in Counter(schema.names).items() if number > 1]:
        raise DataError(f"{name} has two columns called {twice[0]!r}: rename one.")
    classes = _classes_in(schema)
    table = GrowingTable(name, bounds)
    parts = (batch.slice(start, BATCH) for batch in batches for start in range(0, batch.num_rows, BATCH))
    table.extend((_text_columns(part, classes, table) for part in parts), total)
    remarks = [
        f"The numbers in “{column}” are read by the names that the file has for them: {', '.join(names[:MOST_NAMED])}."
        for column, names in classes.items()
    ]
    return ReadTable(table=table.finish(), kind=kind, remarks=(*remarks, *table.remarks))


def _text_columns(batch: pa.RecordBatch, classes: Mapping[str, Sequence[str]], into: GrowingTable) -> pa.Table:
    """The columns of a batch as text, those in dictionaries as such; of records a column for each value."""
    found: dict[str, pa.Array] = {}
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if name in classes:
            found[name] = into.array([cell_text(_named(each, classes[name])) for each in column.to_pylist()])
        elif (pa.types.is_dictionary(column.type) and _is_text(column.type.value_type)) or _is_text(column.type):
            found[name] = column
        elif pa.types.is_struct(column.type):
            found |= into.arrays(name, [_with_names(each, name, classes) for each in column.to_pylist()])
        elif pa.types.is_temporal(column.type) or pa.types.is_primitive(column.type):
            is_number = pa.types.is_floating(column.type)
            found[name] = (pc.if_else(pc.is_nan(column), None, column) if is_number else column).cast(pa.string())
        else:
            found[name] = into.array([*map(cell_text, column.to_pylist())])
    return pa.table(found)


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def _with_names(record: Any, name: str, classes: Mapping[str, Sequence[str]]) -> Any:
    """A record of a column, in which the names of classes stand for their numbers."""
    if record is None:
        return None
    names = {inner: classes.get(f"{name}.{inner}") for inner in record}
    return {inner: each if (of := names[inner]) is None else _named(each, of) for inner, each in record.items()}


def _named(value: Any, names: Sequence[str]) -> Any:
    """The name of a class, or of each in a list; none for other numbers, as -1."""
    if isinstance(value, list):
        return [_named(each, names) for each in value]
    number = int(value) if value is not None and value == value else -1  # NaN stands for no number
    return names[number] if 0 <= number < len(names) else None


def _classes_in(schema: pa.Schema) -> dict[str, list[str]]:
    """The names of classes that `datasets` notes in a file, by the column whose numbers they are."""
    found: dict[str, list[str]] = {}
    try:
        features = json.loads((schema.metadata or {})[b"huggingface"])["info"]["features"]
        for column in schema:
            feature = features.get(column.name, {})
            if pa.types.is_integer(column.type) or pa.types.is_floating(column.type) or _is_list(column.type):
                found[column.name] = _class_names(feature)
            elif pa.types.is_struct(column.type):
                found |= {f"{column.name}.{inner}": _class_names(of) for inner, of in feature.items()}
    except (KeyError, TypeError, ValueError, AttributeError):
        return {}
    return {name: names for name, names in found.items() if names}


def _is_list(kind: pa.DataType) -> bool:
    return pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)


def _class_names(feature: Any) -> list[str]:
    """Those of a class, or of a list of classes."""
    inner = feature[0] if isinstance(feature, list) else feature.get("feature") or feature
    names = inner.get("names") or []
    return [str(name) for name in names]
