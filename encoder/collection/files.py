"""Read a table of texts from CSV, TSV, JSON lines, Parquet or plain text, by DuckDB and within stated bounds.

The bytes of an upload are read from memory: nothing of them is written to a disk.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Final, NamedTuple
from uuid import uuid4

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from fsspec.implementations.memory import MemoryFileSystem

from encoder.collection.row_labels import LabelClasses
from encoder.collection.table import TEXT_NAMES, Collection, guessed, unique_names
from encoder.errors import DataError


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The largest table that is read.

    Attributes:
        rows, columns: their numbers.
        cell, line: characters of a cell, and bytes of a line.
        nbytes: bytes of the file, unpacked, and of all cells.
    """

    rows: int = 1_000_000
    columns: int = 1_000
    cell: int = 100_000
    line: int = 1_000_000
    nbytes: int = 2_000_000_000


UNBOUNDED: Final = Bounds()
UPLOADED: Final = Bounds(rows=100_000, columns=200, nbytes=50_000_000)
KINDS: Final = (".csv", ".tsv", ".jsonl", ".parquet", ".txt")
LINE_NUMBER: Final = re.compile(r"(?:Line: |in line )(\d+)")
MALFORMED: Final = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")
UTF8: Final = "utf-8-sig"
MEMORY_LIMIT: Final = "1GB"  # of DuckDB, for one file
_IDLE: Final[list[duckdb.DuckDBPyConnection]] = []  # at most one database between two files: opening it takes 15 ms
NO_TABLE: Final = "{}: this cannot be read as a table. Check quotes and brackets there."
NOT_OBJECTS: Final = "{}: this cannot be read as a JSON object on each line. Check quotes and brackets there."
NO_PARQUET: Final = "{} is not a Parquet file, or is damaged."
DELIMITERS: Final = (",", ";", "\t", "|")


def open_collection(
    path: Path | str,
    *,
    text: str | None = None,
    text_b: str | None = None,
    label: str | None = None,
    labels: LabelClasses | None = None,
) -> Collection:
    """A file as a collection.

    Args:
        path: .csv, .tsv, .jsonl or .txt, each possibly gzipped, or .parquet.
        text, text_b, label: its columns; others are guessed as `guessed` does.
        labels: the class of each label, as for `Collection.with_classes`.
    Raises:
        DataError: the file is missing, broken, empty or too large, or has no such column.
    """
    path = Path(path)
    found = guessed(path.name, read_file(path, bounds=UNBOUNDED), text=text, text_b=text_b, label=label)
    return found.with_classes(labels)


def read_file(path: Path, *, bounds: Bounds = UPLOADED, leave_out: Sequence[str] = ()) -> pa.Table:
    """A file as a table of text.

    Args:
        leave_out: columns of a Parquet file that are not read.
    Raises:
        DataError: as for `open_collection`.
    """
    try:
        if path.exists() and not path.is_file():
            raise DataError(f"{path} is not a file: name a table, such as predictions.parquet in a folder of results.")
        if path.stat().st_size > bounds.nbytes:
            raise DataError(f"{path.name} has more than {_megabytes(bounds.nbytes)}, the most that is read.")
        data = path.read_bytes()
    except (OSError, ValueError) as error:  # a path with a null character is a ValueError
        raise DataError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    return read_table(data, path.name, bounds=bounds, leave_out=leave_out)


def read_table(data: bytes, name: str, *, bounds: Bounds = UPLOADED, leave_out: Sequence[str] = ()) -> pa.Table:
    """The bytes of a file as a table of text.

    Args:
        name: the file's name, whose ending says what it is.
        leave_out: columns of a Parquet file that are not read.
    Raises:
        DataError: as for `open_collection`.
    """
    kind = Path(name.lower().removesuffix(".gz")).suffix
    if kind not in KINDS:
        raise DataError(
            f"{name}: a table ends in {', '.join(KINDS[:-1])} or {KINDS[-1]}, and each may be gzipped (.gz)."
        )
    data = _unpacked(data, name, bounds)
    if not data.strip():
        raise DataError(f"{name} is empty.")
    if kind == ".parquet":
        _check_parquet(data, name, bounds)
        return _query(data, name, kind, bounds, leave_out=leave_out)
    encoding = _encoding_of(data)
    try:
        return _read_text(_as_utf8(data, name, encoding), name, kind, bounds)
    except DataError as error:
        if encoding == UTF8:
            raise
        begins = f"The file begins as {_in_capitals(encoding)}, and perhaps not all of it is: save it as UTF-8."
        raise DataError(f"{error} {begins}") from error


def _read_text(data: bytes, name: str, kind: str, bounds: Bounds) -> pa.Table:
    """A table or a list in UTF-8."""
    _check_lines(data, name, bounds)
    if kind in (".csv", ".tsv"):
        header = _header_of(data, name, kind, bounds)
        if not header.columns:
            raise DataError(f"{name}, line 1: it is blank, and should name the columns.")
        is_list = len(header.columns) == 1 and header.columns[0].lower() not in TEXT_NAMES
        return _lines(data, name, bounds) if is_list else _query(data, name, kind, bounds, header=header)
    return _lines(data, name, bounds) if kind == ".txt" else _query(data, name, kind, bounds)


def read_pasted(text: str, name: str = "pasted texts") -> pa.Table:
    """Pasted texts: a table if there are tabs in the first line, which is then its header; else a text on each line.

    Raises:
        DataError: there is no text, or the table is broken or too large.
    """
    first = text.strip().partition("\n")[0]
    kind = ".tsv" if "\t" in first else ".txt"
    return read_table(text.encode("utf-8", "replace"), f"{name}{kind}")


def _unpacked(data: bytes, name: str, bounds: Bounds) -> bytes:
    """The bytes, without gzip, if they are within the bounds."""
    if data[:2] == b"\x1f\x8b":
        try:
            with gzip.open(BytesIO(data)) as file:
                data = file.read(bounds.nbytes + 1)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise DataError(f"{name}: the compressed file is truncated or damaged ({error}).") from error
    if len(data) > bounds.nbytes:
        raise DataError(
            f"{name} is larger than {_megabytes(bounds.nbytes)}, the most that is read: take some of its rows."
        )
    return data


def _encoding_of(data: bytes) -> str:
    """The encoding of a text by its first bytes: their byte-order mark, or a zero in the first letter of UTF-16."""
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if 0 in data[:2]:
        return "utf-16-le" if data[0] else "utf-16-be"
    return UTF8


def _as_utf8(data: bytes, name: str, encoding: str) -> bytes:
    """The bytes in UTF-8, without a byte-order mark; lines that end with a carriage return alone get a line feed."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].decode(encoding, "ignore").count("\n") + 1
        save = " Save the file as UTF-8." if encoding == UTF8 else ""
        raise DataError(f"{name}, line {line:,}: a character is not {_in_capitals(encoding)}.{save}") from error
    if "\n" not in text:
        return text.replace("\r", "\n").encode()
    return data.removeprefix(codecs.BOM_UTF8) if encoding == UTF8 else text.encode()


def _in_capitals(encoding: str) -> str:
    """The name of an encoding, without its order of bytes."""
    return "-".join(encoding.upper().split("-")[:2])


def _check_lines(data: bytes, name: str, bounds: Bounds) -> None:
    """Raise DataError where a line is too long."""
    for number, line in enumerate(BytesIO(data), start=1):
        if len(line) > bounds.line:
            raise DataError(f"{name}, line {number:,}: {len(line):,} bytes; a line may have {bounds.line:,}.")


class _Header(NamedTuple):
    """The columns that the first line of a table names, and its delimiter and quotes."""

    columns: tuple[str, ...]
    delimiter: str
    quote: str


def _header_of(data: bytes, name: str, kind: str, bounds: Bounds) -> _Header:
    """The delimiter is the most frequent one in the first line. In a .tsv file, quotes are characters like others."""
    line = data.partition(b"\n")[0].decode().strip("\r\n")
    delimiter = max(DELIMITERS, key=line.count) if kind == ".csv" else "\t"
    quote = '"' if kind == ".csv" else ""
    try:
        cells = next(csv.reader([line], delimiter=delimiter)) if quote else line.split(delimiter)
    except csv.Error as error:
        raise DataError(f"{name}, line 1: it cannot be read as names of columns ({error}).") from error
    _check_size(name, 0, len(cells), bounds)
    names = [cell.strip() or f"column {number}" for number, cell in enumerate(cells, start=1)]
    return _Header(unique_names(names), delimiter, quote)


def _lines(data: bytes, name: str, bounds: Bounds) -> pa.Table:
    """A column of the lines that are not blank."""
    lines = [line for line in data.decode().splitlines() if line.strip()]
    if not lines:
        raise DataError(f"{name} is empty.")
    table = pa.table({"text": pa.array(lines, pa.string())})
    _check_size(name, len(lines), 1, bounds)
    _check_cells(name, "text", max(map(len, lines)), bounds)
    return table


def _query(
    data: bytes,
    name: str,
    kind: str,
    bounds: Bounds,
    *,
    header: _Header | None = None,
    leave_out: Sequence[str] = (),
) -> pa.Table:
    """The columns as text. The sizes are checked before the cells are copied."""
    with _in_memory(data) as (connection, path):
        if header is not None:
            columns = ", ".join(f"{_literal(column)}: 'VARCHAR'" for column in header.columns)
            source = (
                f"read_csv('{path}', auto_detect=false, header=true, columns={{{columns}}}, "
                f"delim='{header.delimiter}', "
                f"quote='{header.quote}', escape='{header.quote}', max_line_size={2 * bounds.line})"
            )
        elif kind == ".parquet":
            source = f"read_parquet('{path}')"
        try:
            if kind == ".jsonl":
                source = _json_source(connection, data, path, name, bounds)
            described = connection.execute(f"describe select * from {source}").fetchall()
            types = {column: str(kind) for column, kind, *_ in described if column not in leave_out}
            names = list(types)
            _check_size(name, 0, len(names), bounds)
            cells = [_as_text(column, kind) for column, kind in types.items()]
            sizes = ", ".join(f"max(length({cell})), sum(strlen({cell}))" for cell in cells)
            [(rows, *found)] = connection.execute(f"select count(*), {sizes} from {source}").fetchall()
            _check_size(name, rows, len(names), bounds)
            for column, longest in zip(names, found[::2], strict=True):
                _check_cells(name, column, longest or 0, bounds)
            if sum(size or 0 for size in found[1::2]) > bounds.nbytes:
                raise DataError(
                    f"The cells of {name} take more than {_megabytes(bounds.nbytes)}: take some of its rows."
                )
            columns = ", ".join(f"{cell} as {_quoted(column)}" for cell, column in zip(cells, names, strict=True))
            table = connection.sql(f"select {columns} from {source}").to_arrow_table()
        except (duckdb.Error, UnicodeDecodeError) as error:
            line = _first_broken_line(data) if kind == ".jsonl" else None
            raise DataError(_in_words(name, kind, error, line)) from error
    if not table.num_rows:
        raise DataError(f"{name} has names of columns and no rows.")
    return table


def _json_source(connection: duckdb.DuckDBPyConnection, data: bytes, path: str, name: str, bounds: Bounds) -> str:
    """The function of DuckDB that reads objects, with every column that one of them names as text."""
    size = f"maximum_object_size={16 * bounds.line}"
    objects = f"select unnest(json_keys(json)) as name from read_ndjson_objects('{path}', {size})"
    numbered = f"select name, row_number() over () as place from ({objects})"
    found = connection.execute(f"select name from ({numbered}) group by name order by min(place)").fetchall()
    names = [column for (column,) in found]
    _check_size(name, 0, len(names), bounds)
    if not names:
        line = _first_broken_line(data)
        raise DataError(NOT_OBJECTS.format(f"{name}, line {line:,}") if line else f"{name} has no columns.")
    if "" in names or unique_names(names) != tuple(names):
        raise DataError(f"{name}: a column has no name, or two names differ only in their case. Rename one.")
    columns = ", ".join(f"{_literal(column)}: 'VARCHAR'" for column in names)
    return f"read_json('{path}', format='newline_delimited', records=true, columns={{{columns}}}, {size})"


@contextmanager
def _in_memory(data: bytes) -> Iterator[tuple[duckdb.DuckDBPyConnection, str]]:
    """A connection of DuckDB, and the path at which it reads the bytes."""
    files = MemoryFileSystem()
    path = f"/{uuid4().hex}"
    with files.open(path, "wb") as file:
        file.write(data)
    try:
        connection = _IDLE.pop()
    except IndexError:
        connection = duckdb.connect(config={"memory_limit": MEMORY_LIMIT, "temp_directory": "", "threads": 1})
        connection.register_filesystem(files)
    try:
        yield connection, f"memory://{path}"
        if not _IDLE:
            _IDLE.append(connection)  # not after an error, which it may not survive
    finally:
        files.rm(path)


def _check_parquet(data: bytes, name: str, bounds: Bounds) -> None:
    """Raise DataError where a Parquet file says that it is too large, or is none."""
    try:
        about = pq.ParquetFile(BytesIO(data)).metadata
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(NO_PARQUET.format(name)) from error
    if not about.num_columns:
        raise DataError(f"{name} has no columns.")
    _check_size(name, about.num_rows, about.num_columns, bounds)


def _check_size(name: str, rows: int, columns: int, bounds: Bounds) -> None:
    for count, most, what in ((rows, bounds.rows, "rows"), (columns, bounds.columns, "columns")):
        if count > most:
            raise DataError(f"{name} has {count:,} {what}; at most {most:,} are read.")


def _check_cells(name: str, column: str, longest: int, bounds: Bounds) -> None:
    if longest > bounds.cell:
        raise DataError(
            f"{name}: a cell of column {column[:40]!r} has {longest:,} characters; at most {bounds.cell:,} are read."
        )


def _first_broken_line(data: bytes) -> int | None:
    """The first line that is no JSON object of characters, with a name once; DuckDB may name a later one."""
    for number, line in enumerate(BytesIO(data), start=1):
        try:
            found = json.loads(line, object_pairs_hook=_with_names_once) if line.strip() else {}
            json.dumps(found, ensure_ascii=False).encode()
            is_object = isinstance(found, dict)
        except (ValueError, RecursionError):
            is_object = False
        if not is_object:
            return number
    return None


def _with_names_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _in_words(name: str, kind: str, error: Exception, line: int | None = None) -> str:
    """DuckDB's error in one sentence, with the line if it is known, or if the error names one."""
    if isinstance(error, duckdb.OutOfMemoryException):
        return f"{name} needs more memory than a file may take ({MEMORY_LIMIT}): take some of its rows."
    if kind == ".parquet":
        return NO_PARQUET.format(name)
    message = str(error)
    named = LINE_NUMBER.search(message)
    line = int(named[1]) if line is None and named else line
    where = f"{name}, line {line:,}" if line else name
    if found := MALFORMED.search(message):
        cells = f"{found[2]} cell{'' if found[2] == '1' else 's'}"
        return f"{where}: {cells}, and the header has {found[1]}. A cell with a comma needs quotes around it."
    return (NOT_OBJECTS if kind == ".jsonl" else NO_TABLE).format(where)


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _as_text(column: str, kind: str) -> str:
    """A column as text in SQL; lists and records as JSON, in which a comma within a name is no other label."""
    is_nested = kind.endswith("[]") or kind.startswith(("STRUCT", "MAP"))
    return f"cast({f'to_json({_quoted(column)})' if is_nested else _quoted(column)} as varchar)"


def _quoted(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _megabytes(nbytes: int) -> str:
    return f"{nbytes // 1_000_000:,} MB"
