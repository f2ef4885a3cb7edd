"""Read a table of texts from the bytes of a file: what contains it, its encoding, its dialect, its header.

| kind | read by |
|---|---|
| .csv, .tsv, .txt, and pasted cells | `delimited`, or a text on each line |
| .json, .jsonl, .ndjson | `records` |
| .parquet, .arrow, .feather | `arrow_files` |
| .xlsx | `workbooks` |

Each may be gzipped, or alone in a .zip. One file is read at a time, from memory: nothing of it is written to a disk.
"""

from __future__ import annotations

import gzip
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from encoder.collection.arrow_files import read_arrow, read_parquet
from encoder.collection.delimited import Decoded, decode, delimited, tagged_sentences
from encoder.collection.growing_table import UNBOUNDED, UPLOADED, Bounds, GrowingTable, megabytes
from encoder.collection.records import rows_of_json
from encoder.collection.row_labels import LabelClasses
from encoder.collection.table import Collection, HowRead, ReadTable, guessed
from encoder.collection.workbooks import read_workbook
from encoder.errors import DataError

LINES: Final = (".csv", ".tsv", ".tab", ".txt", ".conll", ".conllu", ".bio", ".iob2")
JSON: Final = (".json", ".jsonl", ".ndjson")
ARROW: Final = (".parquet", ".arrow", ".feather")
KINDS: Final = (".csv", ".tsv", ".txt", *JSON, *ARROW, ".xlsx")  # as messages list them
PACKED: Final = (".gz", ".zip")
ZIPPED_BYTES: Final = 4  # times the bounds: of the XML in a workbook, which is longer than its cells
DECIDED: Final = HowRead()  # by the reader, all of it
DECIMAL: Final = r"^\s*[+-]?\d+,\d+\s*$"
_TURN: Final = Lock()
BEGINS: Final = ((b"PAR1", ".parquet"), (b"ARROW1", ".arrow"))
__all__ = ["KINDS", "UNBOUNDED", "UPLOADED", "Bounds", "open_collection", "read_file", "read_pasted", "read_table"]


def open_collection(
    path: Path | str,
    *,
    text: str | None = None,
    text_b: str | None = None,
    label: str | None = None,
    labels: LabelClasses | None = None,
    how: HowRead = DECIDED,
) -> Collection:
    """A file as a collection.

    Args:
        path: of one of `KINDS`, possibly in .gz or .zip.
        text, text_b, label: its columns; others are guessed as `guessed` does.
        labels: the class of each label, as for `Collection.with_classes`.
        how: what the reader need not decide.
    Raises:
        DataError: the file is missing, broken, empty or too large, or has no such column.
    """
    path = Path(path)
    read = read_file(path, bounds=UNBOUNDED, how=how)
    for name, given in asdict(how).items():
        if given is not None and getattr(read.how, name) is None:
            raise DataError(f"{path.name}: {name}={given!r} was given, but the file ({read.kind}) has no {name}.")
    found = guessed(path.name, read.table, text=text, text_b=text_b, label=label, remarks=read.remarks)
    return found.with_classes(labels)


def read_file(
    path: Path, *, bounds: Bounds = UPLOADED, how: HowRead = DECIDED, leave_out: Sequence[str] = ()
) -> ReadTable:
    """A file as a table of text.

    Args:
        how: what the reader need not decide.
        leave_out: columns of a Parquet file that are not read.
    Raises:
        DataError: as for `open_collection`.
    """
    try:
        if path.exists() and not path.is_file():
            raise DataError(f"{path} is not a file: name a table, such as predictions.parquet in a folder of results.")
        if path.stat().st_size > bounds.nbytes:
            raise DataError(f"{path.name} has more than {megabytes(bounds.nbytes)}, the most that is read.")
        data = path.read_bytes()
    except (OSError, ValueError) as error:  # a path with a null character is a ValueError
        raise DataError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    return read_table(data, path.name, bounds=bounds, how=how, leave_out=leave_out)


def read_table(
    data: bytes, name: str, *, bounds: Bounds = UPLOADED, how: HowRead = DECIDED, leave_out: Sequence[str] = ()
) -> ReadTable:
    """The bytes of a file as a table of text. Waits until no other file is being read.

    Args:
        name: the file's name, whose ending says what it is, unless its first bytes do.
        how, leave_out: as for `read_file`.
    Raises:
        DataError: as for `open_collection`.
    """
    with _TURN:
        data, kind = _unpacked(data, name, bounds)
        if not data.strip(b" \t\r\n"):
            raise DataError(f"{name} is empty.")
        if kind == ".parquet":
            return read_parquet(data, name, bounds, leave_out)
        if kind in ARROW:
            return read_arrow(data, name, bounds)
        table = GrowingTable(name, bounds)
        if kind == ".xlsx":
            return read_workbook(data, table, how)
        decoded = decode(data, name, how.encoding)
        if kind in JSON:
            left_out: list[str] = []
            table.fill(rows_of_json(decoded, name, left_out))
            how = HowRead(encoding=decoded.encoding)
            found = ReadTable(table=table.finish(), kind="JSON", how=how, remarks=tuple(left_out))
        else:
            found = _read_lines(decoded, table, kind, how)
        said = filter(None, [decoded.remark, *found.remarks, *table.remarks])
        return ReadTable(table=found.table, kind=found.kind, how=found.how, remarks=tuple(said))


def read_pasted(text: str, name: str = "pasted texts", *, how: HowRead = DECIDED) -> ReadTable:
    """Pasted texts: rows of a spreadsheet, of a CSV or JSON file, or a text on each line.

    Raises:
        DataError: there is no text, or the table is broken or too large.
    """
    begins = "".join(text.split())[:2]  # a text of a template may begin with a brace as well
    is_json = begins in ('{"', "{}", "[{", '["')
    kind = ".json" if is_json else ".tsv" if "\t" in text.strip().partition("\n")[0] else ".txt"
    return read_table(text.encode("utf-8", "replace"), f"{name}{kind}", how=how)


def _read_lines(decoded: Decoded, table: GrowingTable, kind: str, how: HowRead) -> ReadTable:
    """A table with a delimiter, sentences with tags, or a text on each line."""
    if kind not in (".csv", ".tsv", ".tab") and (sentences := tagged_sentences(decoded)) is not None:
        table.fill(sentences)
        return ReadTable(table=table.finish(), kind="CoNLL", how=HowRead(encoding=decoded.encoding))
    found = delimited(decoded, table.name, how, kind)
    if found is None:
        lines = (each for line in decoded.lines() for each in line.replace("\r", "\n").split("\n"))
        table.fill({"text": line} for line in lines if line.strip())
        return ReadTable(
            table=table.finish(), kind="a text on each line", how=HowRead(encoding=decoded.encoding, header=False)
        )
    table.check_columns(found.names)
    table.fill(found.rows(), header=found.names if found.has_header else ())
    how = HowRead(encoding=decoded.encoding, delimiter=found.dialect.delimiter, header=found.has_header)
    if not table.rows:
        raise DataError(f"{table.name} has names of columns and no rows.")
    read, remarks = _with_points(table.finish(), found.dialect.delimiter)
    return ReadTable(table=read, kind="CSV", how=how, remarks=(*found.remarks, *remarks))


def _with_points(table: pa.Table, delimiter: str) -> tuple[pa.Table, list[str]]:
    """Columns of numbers with decimal commas as numbers with points, and a remark for each."""
    remarks = []
    for place, name in enumerate(table.column_names if delimiter != "," else ()):
        filled = table.column(name).drop_null()
        if len(filled) and pc.all(pc.match_substring_regex(filled, DECIMAL)).as_py():
            table = table.set_column(place, name, pc.replace_substring(table.column(name), ",", "."))
            remarks.append(f"The commas in “{name}” are read as decimal points.")
    return table, remarks


def _unpacked(data: bytes, name: str, bounds: Bounds) -> tuple[bytes, str]:
    """The bytes of the table itself, within the bounds, and its kind."""
    inner = name.lower()
    if data[:2] == b"\x1f\x8b":
        inner = inner.removesuffix(".gz")
        try:
            with gzip.open(BytesIO(data)) as file:
                data = file.read(bounds.nbytes + 1)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise DataError(f"{name}: the compressed file is truncated or damaged ({error}).") from error
    if data[:4] == b"PK\x03\x04":
        data, inner = _from_zip(data, name, inner, bounds)
    if len(data) > bounds.nbytes:
        raise DataError(
            f"{name} is larger than {megabytes(bounds.nbytes)}, the most that is read: take some of its rows."
        )
    kind = next((kind for begin, kind in BEGINS if data.startswith(begin)), Path(inner).suffix)
    if kind == ".xlsx" and data[:2] != b"PK":
        raise DataError(f"{name} is no Excel workbook, or is damaged: save it again as .xlsx, or as CSV UTF-8.")
    if kind not in (*LINES, *JSON, *ARROW, ".xlsx"):
        old = " Save it as .xlsx." if kind in (".xls", ".ods", ".xlsb", ".numbers") else ""
        raise DataError(
            f"{name}: a table ends in {', '.join(KINDS[:-1])} or {KINDS[-1]}, or in .gz or .zip of one.{old}"
        )
    return data, kind


def _from_zip(data: bytes, name: str, inner: str, bounds: Bounds) -> tuple[bytes, str]:
    """A workbook as it is, or the one table in an archive."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            entries = archive.infolist()
            if sum(entry.file_size for entry in entries) > ZIPPED_BYTES * bounds.nbytes:
                raise DataError(
                    f"{name} holds more than {megabytes(ZIPPED_BYTES * bounds.nbytes)}, the most that is read."
                )
            if inner.endswith(".xlsx") or any(entry.filename.startswith("xl/") for entry in entries):
                return data, "workbook.xlsx"
            tables = [
                entry
                for entry in entries
                if Path(entry.filename.lower()).suffix in (*LINES, *JSON, *ARROW, ".xlsx")
                and not entry.filename.startswith("__MACOSX")
            ]
            if len(tables) != 1:
                listed = ", ".join(entry.filename for entry in tables[:4]) or "none"
                raise DataError(f"{name} should hold one table, and has {len(tables)}: {listed}. Open one by itself.")
            with archive.open(tables[0]) as file:
                return file.read(bounds.nbytes + 1), tables[0].filename.lower()
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, zlib.error, EOFError) as error:
        raise DataError(f"{name}: the archive is damaged, or locked with a password ({error}).") from error
