"""A table of text that grows row by row within bounds, and how values become the text of its cells."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from encoder.collection.table import MOST_LISTED, quoted
from encoder.errors import DataError


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The largest table that is read.

    Attributes:
        rows, columns: their numbers.
        cell: characters of a cell.
        nbytes: bytes of the file, unpacked, and of all cells.
    """

    rows: int = 1_000_000
    columns: int = 1_000
    cell: int = 100_000
    nbytes: int = 2_000_000_000


UNBOUNDED: Final = Bounds()
UPLOADED: Final = Bounds(rows=100_000, columns=200, nbytes=50_000_000)
AT_ONCE: Final = 4_096  # rows
MOST_COUNTED: Final = 10  # times the rows that are read
MOST_NAMED: Final = 3  # rows in a sentence
BINARY: Final = "\udcff"  # stands for bytes that are no text


class GrowingTable:
    """Rows of text; of what is too long or too much, the beginning is read, and `remarks` say so."""

    def __init__(self, name: str, bounds: Bounds) -> None:
        self.name, self.bounds, self.rows, self.remarks = name, bounds, 0, list[str]()
        self._parts: list[pa.Table] = []
        self._columns: dict[str, list[str | None]] = {}
        self._names: dict[str, None] = {}
        self._size = self._pending = self._replaced = self._binary = self._repeats = 0
        self._cut: list[int] = []

    def fill(self, rows: Iterable[Mapping[str, str | None]], header: Sequence[str] = ()) -> None:
        """Add rows until the table is full, and count the others.

        Args:
            header: names of columns; rows that repeat them, as those of joined files do, are left out.
        Raises:
            DataError: there are too many columns.
        """
        rows = self._without_repeats(rows, header) if header else iter(rows)
        for row in rows:
            if self.rows >= self.bounds.rows:
                self._count_others(rows)
                break
            if self._size > self.bounds.nbytes:
                self.remarks.append(
                    f"The cells take more than {megabytes(self.bounds.nbytes)}: the first {self.rows:,} rows are read."
                )
                break
            self._add(row)

    def _without_repeats(
        self, rows: Iterable[Mapping[str, str | None]], header: Sequence[str]
    ) -> Iterator[Mapping[str, str | None]]:
        names = dict(zip(header, header, strict=True))
        for row in rows:
            if row == names:
                self._repeats += 1
            else:
                yield row

    def extend(self, batches: Iterable[pa.Table], total: int | None = None) -> None:
        """Add rows in batches of columns of text, until the table is full; texts may be in dictionaries.

        Args:
            total: rows of all batches; None to count them.
        """
        batches = iter(batches)
        for batch in batches:
            self.check_columns(batch.column_names)
            rows = min(batch.num_rows, self.bounds.rows - self.rows)
            while rows and self._size + _bytes_of(batch.slice(0, rows)) > self.bounds.nbytes:
                rows //= 2
            part = batch.slice(0, rows)
            self._size += _bytes_of(part)
            self._parts.append(pa.table({name: self._cut_long(part.column(name)) for name in part.column_names}))
            self.rows += rows
            if rows < batch.num_rows:
                total = total or self.rows + batch.num_rows - rows + sum(each.num_rows for each in batches)
                self.remarks.append(f"The first {self.rows:,} of {total:,} rows are read.")
                break

    def _cut_long(self, column: pa.ChunkedArray) -> pa.Array:
        cells = column.combine_chunks()
        if pa.types.is_dictionary(cells.type):
            values = pc.utf8_slice_codeunits(cells.dictionary, 0, self.bounds.cell)
            lengths = pc.take(pc.utf8_length(cells.dictionary), cells.indices)
            cut = pc.take(values, cells.indices)
        else:
            lengths, cut = pc.utf8_length(cells), cells
        long = np.flatnonzero(pc.fill_null(pc.greater(lengths, self.bounds.cell), False).to_numpy(zero_copy_only=False))
        self._cut += (self.rows + 1 + long).tolist()
        return (pc.utf8_slice_codeunits(cut, 0, self.bounds.cell) if len(long) else cut).cast(pa.string())

    def check_columns(self, names: Iterable[str]) -> None:
        """Raise DataError where these and the columns that are there are too many."""
        self._names |= dict.fromkeys(names)
        if len(self._names) > self.bounds.columns:
            raise DataError(
                f"{self.name} has more than {self.bounds.columns:,} columns, the most that are read, such as "
                f"{quoted(list(self._names), MOST_LISTED)}."
            )

    def _count_others(self, rows: Iterator[Any]) -> None:
        most = MOST_COUNTED * self.bounds.rows
        others = 1 + sum(1 for _, _ in zip(range(most), rows, strict=False))
        total = f"more than {most:,}" if others > most else f"{self.rows + others:,}"
        self.remarks.append(f"The file has {total} rows: the first {self.rows:,} are read.")

    def _add(self, row: Mapping[str, str | None]) -> None:
        for name, whole in row.items():
            if name not in self._columns:
                self.check_columns([name])
                self._columns[name] = [None] * self._pending
            cell = whole[: self.bounds.cell] if whole else None
            if cell and whole and len(cell) < len(whole):
                self._cut.append(self.rows + 1)
            self._size += len(cell or "")
            self._columns[name].append(cell)
        self.rows, self._pending = self.rows + 1, self._pending + 1
        for cells in self._columns.values():
            if len(cells) < self._pending:
                cells.append(None)
        if self._pending == AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        self._parts.append(pa.table({name: self.array(cells) for name, cells in self._columns.items()}))
        self._columns, self._pending = {}, 0

    def arrays(self, name: str, values: Iterable[Any]) -> dict[str, pa.Array]:
        """A column as columns of text: of records one for each value."""
        rows = [cells_of({name: value}) for value in values]
        names = dict.fromkeys(inner for row in rows for inner in row)
        return {inner: self.array([row.get(inner) for row in rows]) for inner in names}

    def array(self, cells: Sequence[str | None]) -> pa.Array:
        """Cells of `cell_text` as a column; those of binary data are empty, and counted."""
        try:
            return pa.array(cells, pa.string())
        except UnicodeEncodeError:  # binary data, or half a pair of surrogates
            texts = [None if cell == BINARY else cell for cell in cells]
            whole = [cell and cell.encode("utf-8", "replace").decode() for cell in texts]
            self._binary += cells.count(BINARY)
            self._replaced += sum(a != b for a, b in zip(texts, whole, strict=True))
            return pa.array(whole, pa.string())

    def finish(self) -> pa.Table:
        """The table. Raises DataError where it has no rows."""
        if self._pending:
            self._flush()
        if not (self.rows and self._names):
            raise DataError(f"{self.name} has {'names of columns and ' if self._names else ''}no rows.")
        if self._cut:
            rows = list(dict.fromkeys(self._cut))
            named = ", ".join(f"{row:,}" for row in rows[:MOST_NAMED]) + (", …" if rows[MOST_NAMED:] else "")
            self.remarks.append(
                f"{count(len(self._cut), 'cell')} of more than {self.bounds.cell:,} characters cut there (row {named})."
            )
        if self._repeats:
            self.remarks.append(f"{count(self._repeats, 'row')} that repeat the names of the columns left out.")
        if self._replaced:
            self.remarks.append(f"{count(self._replaced, 'cell')} with half a character: it is read as “?”.")
        if self._binary:
            self.remarks.append(f"{count(self._binary, 'cell')} of binary data that is not UTF-8 left empty.")
        return pa.concat_tables(self._parts, promote_options="default")


def _bytes_of(batch: pa.Table) -> int:
    """Bytes of the text of a batch, those in a dictionary as often as they are in a row."""
    total = 0
    for column in batch.columns:
        for chunk in column.chunks:
            is_coded = pa.types.is_dictionary(chunk.type)
            lengths = pc.binary_length(chunk.dictionary if is_coded else chunk)
            total += pc.sum(pc.take(lengths, chunk.indices) if is_coded else lengths).as_py() or 0
    return total


def cells_of(row: Mapping[str, Any]) -> dict[str, str | None]:
    """The cells of a record: a record within it, of any depth but without lists, has a column for each value."""
    found: dict[str, str | None] = {}
    for name, value in row.items():
        if isinstance(value, dict) and value and not any(isinstance(each, list) for each in value.values()):
            cells = {f"{name}.{inner}": cell for inner, cell in cells_of(value).items()}
            found |= {f"{inner} 2" if inner in row else inner: cell for inner, cell in cells.items()}
        else:
            found[str(name)] = cell_text(value)
    return found


def cell_text(value: Any) -> str | None:
    """A value as text; lists and records as JSON, in which a comma within a name is no other label.

    Returns:
        None for an empty cell; `BINARY` for bytes that are not UTF-8.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        try:
            return bytes(value).decode()
        except UnicodeDecodeError:
            return BINARY
    if hasattr(value, "tolist"):  # of numpy
        value = value.tolist()
    if isinstance(value, dict | list | tuple | set):
        given = sorted(value, key=str) if isinstance(value, set) else value
        return json.dumps(given, ensure_ascii=False, separators=(",", ":"), default=cell_text)
    if value is None or value != value:  # not a number
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


def megabytes(nbytes: int) -> str:
    return f"{nbytes // 1_000_000:,} MB"


def count(number: int, what: str) -> str:
    """A number of things."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
