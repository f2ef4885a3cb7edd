"""Tables on disk: Parquet, written to the end or not at all, with what they were made from in their metadata."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from encoder.errors import AtlasError

SCHEMA = 1  # of all tables together; README.md documents them
ABOUT = b"headlight.atlas"  # the key of our metadata

_HEAD = [("layer", pa.int16()), ("head", pa.int16())]
COUNTS = pa.schema(
    [
        ("quantity", pa.string()),
        ("name", pa.string()),
        ("direction", pa.string()),
        *_HEAD,
        ("offset", pa.int32()),
        ("n", pa.int64()),
        ("right", pa.int64()),
        ("total", pa.float64()),
        ("squares", pa.float64()),
    ]
)
HABITS = pa.schema(
    [
        *_HEAD,
        ("habit", pa.string()),
        ("unit", pa.string()),
        *[(name, pa.float64()) for name in ("mean", "low", "high", "chance")],
        ("n", pa.int64()),
    ]
)
HEADS = pa.schema(
    [
        *_HEAD,
        ("habit", pa.string()),
        ("mean", pa.float64()),
        ("chance", pa.float64()),
        ("relation", pa.string()),
        ("direction", pa.string()),
        ("peak_offset", pa.int32()),
        ("peak_share", pa.float64()),
        ("positional", pa.bool_()),
        ("x", pa.float64()),
        ("y", pa.float64()),
    ]
)
HEAD_RELATIONS = pa.schema(
    [
        ("relation", pa.string()),
        ("direction", pa.string()),
        *_HEAD,
        *[(name, pa.float64()) for name in ("accuracy", "low", "high")],
        ("offset", pa.int32()),
        ("offset_accuracy", pa.float64()),
        ("n", pa.int64()),
        *[(name, pa.float64()) for name in ("chosen_accuracy", "chosen_offset_accuracy")],
        ("chosen_n", pa.int64()),
        ("syntactic", pa.bool_()),
    ]
)
RELATIONS = pa.schema([*HEAD_RELATIONS, *[(name, pa.float64()) for name in ("corrected_low", "corrected_high")]])
MIXTURE = pa.schema([("direction", pa.string()), *_HEAD, ("weight", pa.float64())])
SKIPPED = pa.schema([("where", pa.string()), ("reason", pa.string())])


def table_of(rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """Rows as a table; a name that a row lacks is null there."""
    return pa.Table.from_pylist(list(rows), schema=schema)


def write_table(path: Path, table: pa.Table, about: Mapping[str, Any]) -> None:
    """Write a table so that the file is there as a whole or not at all.

    Raises:
        AtlasError: the disk is full, or the folder cannot be written to.
    """
    table = table.replace_schema_metadata({ABOUT: json.dumps({"schema": SCHEMA, **about}).encode()})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    write_bytes(path, sink.getvalue().to_pybytes())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file as a whole or not at all. Raises what `write_table` does."""
    unfinished = path.with_name(f"{path.name}.unfinished")
    try:
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        raise AtlasError(f"{path} cannot be written: {error.strerror}. Make room, then go on with --resume.") from error


def read_table(path: Path) -> pa.Table:
    """A table of ours.

    Raises:
        AtlasError: the file is missing or damaged, or of another version.
    """
    try:
        table = pq.read_table(path)
        about = json.loads((table.schema.metadata or {})[ABOUT])
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise AtlasError(f"{path} is no table of an atlas, or a damaged one.") from error
    if about.get("schema") != SCHEMA:
        raise AtlasError(f"{path} has schema {about.get('schema')!r}; this version reads {SCHEMA}. Build it again.")
    return table


def about_table(table: pa.Table) -> dict[str, Any]:
    """What a table that was read here says of itself."""
    about: dict[str, Any] = json.loads(table.schema.metadata[ABOUT])
    return about
