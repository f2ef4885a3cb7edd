"""Read rows of text files with their line numbers, and check their values.

Files may be gzipped, whatever their name. Errors are `DataError`s with the file and the line, counted from 1 including
the header.
"""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

from encoder.errors import DataError


def numbered_lines(path: Path, *, longest: int = -1) -> Iterator[tuple[int, bytes]]:
    """Each line with its number, counted from 1, and its line end.

    Args:
        longest: bytes kept of each line; the rest is skipped. -1 = all.
    Raises:
        DataError: the file is missing, cannot be read, or is a damaged gzip file.
    """
    number = 0
    try:
        with path.open("rb") as raw:
            zipped = raw.read(2) == b"\x1f\x8b"
        with cast(BinaryIO, gzip.open(path)) if zipped else path.open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(longest), b""), start=1):
                rest = line
                while len(rest) == longest and not rest.endswith(b"\n"):
                    rest = file.readline(longest)
                yield number, line
    except FileNotFoundError as error:
        raise DataError(f"There is no file {path}.") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(
            f"{path}, line {number + 1}: the compressed file is truncated or damaged ({error}): fetch it again."
        ) from error
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error}") from error


Row = TypeVar("Row")

# Files --------------------------------------------------------------------------------------------------------------


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """ "file, line N" and the line, without its end, for every line that is not empty."""
    for number, line in numbered_lines(path):
        where = f"{path}, line {number}"
        try:
            text = line.decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise DataError(f"{where}: byte {error.start} is not UTF-8.") from error
        if text:
            yield where, text


def read_table(path: Path, *, needed: tuple[str, ...]) -> Iterator[tuple[str, dict[str, str]]]:
    """The location and the cells of each row of a tab-separated table with a header.

    Raises:
        DataError: the file is missing or truncated, a needed column is, or a row has too few or too many cells.
    """
    lines = _lines(path)
    where, header = next(lines, (f"{path}, line 1", ""))
    columns = header.split("\t")
    missing = [name for name in needed if name not in columns]
    if missing:
        raise DataError(
            f"{where}: the header has no column {', '.join(missing)}; it has {', '.join(columns[:12]) or 'nothing'}."
        )
    for where, line in lines:
        cells = line.split("\t")
        if len(cells) != len(columns):
            raise DataError(f"{where}: {len(cells)} columns; the header has {len(columns)}.")
        yield where, dict(zip(columns, cells, strict=True))


def read_objects(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The location and the object of each line of a JSON lines file.

    Raises:
        DataError: the file is missing or truncated, or a line is not a JSON object.
    """
    for where, line in _lines(path):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise DataError(f"{where}: this is not a complete JSON object ({error}).") from error
        if not isinstance(row, dict):
            raise DataError(f"{where}: a JSON object is needed, this is a {type(row).__name__}.")
        yield where, row


def require_rows(path: Path, rows: list[Row]) -> list[Row]:
    """The rows, or DataError where there are none."""
    if not rows:
        raise DataError(f"{path} holds no rows.")
    return rows


# Single values ------------------------------------------------------------------------------------------------------


def parse_fraction(where: str, name: str, value: str) -> float:
    """A number from 0 to 1, or DataError."""
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 1:
        raise DataError(f"{where}: {name} is {value!r}; a number from 0 to 1 is needed.")
    return number


def parse_choice(where: str, name: str, value: object, choices: tuple[str, ...]) -> int:
    """The index of a value among the choices, or DataError."""
    if not isinstance(value, str) or value not in choices:
        raise DataError(f"{where}: {name} is {value!r}; it must be one of {', '.join(choices)}.")
    return choices.index(value)


def require_list(where: str, row: dict[str, Any], name: str) -> list[Any]:
    """A row's nonempty list of that name, or DataError."""
    value = row.get(name)
    if not isinstance(value, list) or not value:
        raise DataError(f"{where}: {name!r} must be a list that is not empty; it is {str(value)[:40]!r}.")
    return value


def require_words(where: str, row: dict[str, Any]) -> tuple[str, ...]:
    """A row's words, or DataError."""
    words = require_list(where, row, "words")
    for word in words:
        if not isinstance(word, str) or not word.strip():
            raise DataError(f"{where}: {word!r} among the words is not a word.")
    return tuple(words)


def require_index(where: str, row: dict[str, Any]) -> int:
    """The index of a row's word among its words, or DataError."""
    index, count = row.get("index"), len(row["words"])
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < count:
        raise DataError(f"{where}: 'index' is {index!r}; it must be a word's index, 0 to {count - 1}.")
    return index
