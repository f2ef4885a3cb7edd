"""Parquet tables on disk, written atomically, with their origin in the metadata."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from encoder.errors import AtlasError

SCHEMA = 3  # version of all tables; documented in docs/atlas.md
ABOUT = b"headlight.atlas"  # the key of our metadata


def columns(kind: str, names: str) -> list[tuple[str, str]]:
    """Columns of one type, for a schema."""
    return [(name, kind) for name in names.split()]


PLACE = columns("int16", "layer head")
COUNTS = pa.schema(
    [
        *columns("string", "quantity name direction"),
        *PLACE,
        ("offset", "int32"),
        *columns("int64", "n right"),
        *columns("float64", "total squares"),
    ]
)
HABITS = pa.schema(
    [*PLACE, *columns("string", "habit unit"), *columns("float64", "mean low high chance"), ("n", "int64")]
)
HABITS_BY_STEP = HABITS.insert(0, pa.field("step", pa.int64()))
HEADS = pa.schema(
    [
        *PLACE,
        ("habit", "string"),
        ("baseline", "float64"),
        *columns("string", "relation direction special"),
        ("peak_offset", "int32"),
        ("peak_share", "float64"),
        ("positional", "bool"),
    ]
)
HEAD_RELATIONS = pa.schema(
    [
        *columns("string", "relation direction"),
        *PLACE,
        *columns("float64", "accuracy low high"),
        ("offset", "int32"),
        ("offset_accuracy", "float64"),
        ("n", "int64"),
        *columns("float64", "chosen_accuracy chosen_offset_accuracy"),
        ("chosen_n", "int64"),
        ("syntactic", "bool"),
    ]
)
RELATIONS = pa.schema([*HEAD_RELATIONS, *columns("float64", "corrected_low corrected_high")])
SILENCING = pa.schema(
    [
        *PLACE,
        *columns("float64", "shift low high"),
        ("n", "int64"),
        *columns("float64", "accuracy accuracy_change change_low change_high"),
        ("reviews", "string"),
        ("num_reviews", "int64"),
    ]
)
SKIPPED = pa.schema(columns("string", "where reason"))
EXAMPLES = pa.schema(
    [
        *PLACE,
        *columns("string", "about direction kind where"),
        *columns("int32", "query key"),
        *columns("float64", "value order"),
    ]
)
TEXTS = pa.schema(
    [
        *columns("string", "where name"),
        *[(name, pa.list_(pa.string())) for name in ("words", "tags", "relations")],
        ("heads", pa.list_(pa.int32())),
        ("b_start", "int32"),
        ("tokens", pa.list_(pa.int32())),
    ]
)
HUNDREDTHS = 100  # weights of looks are stored with two decimals, as they are shown


def looks_schema(layers: int, heads: int) -> pa.Schema:
    """One row per word: its `sentence` (a row of the table of sentences), its index there, and two columns per head.

    A search reads only the two columns of its head.
    """
    schema = pa.schema([("sentence", pa.int32()), ("word", pa.int16())])
    for place in np.ndindex(layers, heads):
        to, weight = head_columns(*place)
        schema = schema.append(pa.field(to, pa.int16())).append(pa.field(weight, pa.uint8()))
    return schema


def head_columns(layer: int, head: int) -> tuple[str, str]:
    """The columns of a head: the index of the most attended word, and its weight in hundredths."""
    return f"L{layer} H{head} to", f"L{layer} H{head} weight"


def table_of(rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """Rows as a table; missing entries become null."""
    return pa.Table.from_pylist(list(rows), schema=schema)


def write_table(path: Path, table: pa.Table, about: Mapping[str, Any]) -> None:
    """Write a table atomically. Raises AtlasError if the disk is full, or the folder is not writable."""
    write_parts(path, [table], table.schema, about)


def write_parts(path: Path, parts: Iterable[pa.Table], schema: pa.Schema, about: Mapping[str, Any]) -> None:
    """Write a table from parts, one in memory at a time. Raises what `write_table` raises."""
    schema = schema.with_metadata({ABOUT: json.dumps({"schema": SCHEMA, **about}).encode()})
    with _atomic(path) as file, pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for part in parts:
            writer.write_table(part.replace_schema_metadata(schema.metadata))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file atomically. Raises what `write_table` raises."""
    with _atomic(path) as file:
        file.write(content)


@contextmanager
def _atomic(path: Path) -> Iterator[IO[bytes]]:
    """A temporary file that is moved into place when it is complete."""
    unfinished = path.with_name(f"{path.name}.unfinished")
    try:
        with unfinished.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        raise AtlasError(
            f"{path} cannot be written: {error.strerror}. Free some space and start again: what is finished is saved."
        ) from error


def read_table(path: Path, *, columns: Sequence[str] | None = None) -> pa.Table:
    """A table of an atlas, or the given columns of it.

    Raises:
        AtlasError: the file is missing, damaged or of another version, or lacks a column.
    """
    with _reporting_damage(path):
        table = pq.read_table(path, columns=columns and [*columns])
        _check_schema(path, table.schema, columns or ())
    return table


def check_table(path: Path, *, columns: Sequence[str] = ()) -> None:
    """Check a table's metadata and columns without reading it. Raises what `read_table` raises."""
    with _reporting_damage(path):
        _check_schema(path, pq.read_schema(path), columns)


@contextmanager
def _reporting_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise AtlasError(f"{path} is not a table of an atlas, or is damaged.") from error


def _check_schema(path: Path, schema: pa.Schema, columns: Sequence[str]) -> None:
    if missing := set(columns) - set(schema.names):
        raise KeyError(missing)
    about = json.loads((schema.metadata or {})[ABOUT])
    if about.get("schema") != SCHEMA:
        raise AtlasError(f"{path} has schema {about.get('schema')!r}; this version reads {SCHEMA}. Build it again.")


def about_table(table: pa.Table) -> dict[str, Any]:
    """The metadata of a table from `read_table`."""
    about: dict[str, Any] = json.loads(table.schema.metadata[ABOUT])
    return about
