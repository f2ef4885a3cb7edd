"""The rows of an Excel workbook: its first visible sheet that has rows, read row by row by openpyxl."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from io import BytesIO
from itertools import chain, islice
from typing import Any, Final

from encoder.collection.delimited import header_of
from encoder.collection.growing_table import GrowingTable, cell_text, count
from encoder.collection.table import HowRead, ReadTable, quoted, unique_names
from encoder.errors import DataError
from encoder.extras import name_missing_extra

HEAD: Final = 200  # rows, by which the header is found
MOST_BLANK: Final = 10_000  # rows in sequence
MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384  # of a sheet
FORMULA: Final = re.compile(rb"<f[ >/]")
MERGED: Final = re.compile(rb"<(?:\w+:)?mergeCell\s")
LINE: Final = re.compile(rb"<(?:\w+:)?(row|col)\s([^<>]*)")
SETTING: Final = re.compile(rb"(\w+)\s*=\s*[\"'](\w*)")


@name_missing_extra()
def read_workbook(data: bytes, table: GrowingTable, how: HowRead) -> ReadTable:
    """Fill a table with the rows of a workbook. Raises DataError where it is broken or empty.

    Hidden rows and columns are read as well, as pandas does and Excel does in a CSV file, and are counted.
    """
    from openpyxl import load_workbook  # takes long to import

    name = table.name
    try:
        book = load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
        filled = [sheet for sheet in book.worksheets if next(_records(sheet), None) is not None]
        sheets = sorted(filled, key=lambda sheet: sheet.sheet_state != "visible")
        if not sheets:
            raise DataError(f"{name} is empty.")
        with zipfile.ZipFile(BytesIO(data)) as archive:
            xml = archive.read(sheets[0]._worksheet_path)
        formulas = _formulas_without_value(data, sheets[0]) if FORMULA.search(xml) else 0
        is_hidden, columns = _hidden(xml)
    except (KeyError, ValueError, TypeError, AttributeError, OSError, zipfile.BadZipFile, SyntaxError) as error:
        raise DataError(f"{name} is no Excel workbook, or is damaged: save it again, or as CSV UTF-8.") from error
    faults: list[str] = []  # results of formulas that are errors, as “#N/A”
    records = _records(sheets[0], faults)
    head = list(islice(records, HEAD))
    first = [record for _, record in head]
    above, names, has_header, remarks = header_of(first, max(map(len, first)), how.header)
    names = [*unique_names(names)]
    hidden_rows = 0

    def rows() -> Iterator[dict[str, str | None]]:
        nonlocal hidden_rows
        for number, record in chain(head[above:], records):
            if len(record) > len(names):
                raise DataError(
                    f"{name}: a row has {len(record)} cells, and the header {len(names)}: name all columns."
                )
            is_read = record != [""] and table.rows < table.bounds.rows
            hidden_rows += is_read and number <= MOST_ROWS and is_hidden[number]
            yield dict(zip(names, [*record, *[""] * (len(names) - len(record))], strict=True))

    table.fill(rows(), header=names if has_header else ())
    if hidden_rows:
        remarks.append(f"Rows that the sheet hides, and that are read as well: {hidden_rows:,}.")
    if hidden := [column for place, column in enumerate(names, start=1) if place in columns]:
        remarks.append(f"Columns that the sheet hides, and that are read as well: {quoted(hidden)}.")
    if merged := len(MERGED.findall(xml)):
        remarks.append(f"Ranges of merged cells, of which only the first cell has a value: {merged:,}.")
    if formulas:
        remarks.append(
            f"{count(formulas, 'cell')} with a formula and no result left empty: save the file in Excel first."
        )
    if faults:
        remarks.append(f"{count(len(faults), 'cell')} with an error, such as {faults[0]}, left empty.")
    if len(sheets) > 1:
        remarks.append(f"The sheet “{sheets[0].title}” is read, and not {quoted([each.title for each in sheets[1:]])}.")
    read, how = table.finish(), HowRead(header=how.header)
    return ReadTable(table=read, kind="Excel workbook", how=how, remarks=(*remarks, *table.remarks))


def _hidden(xml: bytes) -> tuple[bytearray, set[int]]:
    """The rows of a sheet that are hidden, as 1 at the number of each from 1, and the numbers of hidden columns."""
    rows, columns, row, column = bytearray(MOST_ROWS + 1), set[int](), 0, 0
    for line in LINE.finditer(xml) if b"hidden" in xml else ():
        given = dict(SETTING.findall(line[2]))
        is_hidden = given.get(b"hidden") in (b"1", b"true")
        if line[1] == b"row":
            row = int(given.get(b"r", row + 1))
            if is_hidden and row <= MOST_ROWS:
                rows[row] = 1
        else:
            last = min(int(given[b"max"]), MOST_COLUMNS)
            columns |= set(range(max(int(given[b"min"]), column + 1), last + 1)) if is_hidden else set()
            column = max(column, last)
    return rows, columns


def _formulas_without_value(data: bytes, read: Any) -> int:
    """How many cells of a sheet hold a formula whose result was not saved, as by a program that computes none."""
    from openpyxl import load_workbook  # takes long to import

    sheet = load_workbook(BytesIO(data), read_only=True, keep_links=False)[read.title]
    for each in (sheet, read):
        each.reset_dimensions()
    pairs = zip(sheet.iter_rows(), read.iter_rows(values_only=True), strict=False)
    cells = chain.from_iterable(zip(own, row, strict=False) for own, row in pairs)
    return sum(cell.data_type == "f" and value is None for cell, value in cells)


def _records(sheet: Any, faults: list[str] | None = None) -> Iterator[tuple[int, list[str]]]:
    """The rows by number, from the first that is not blank to the last one, without blank cells at their ends.

    Args:
        faults: receives the errors in place of results, whose cells are blank.
    """
    from openpyxl.utils.escape import unescape

    sheet.reset_dimensions()  # which a workbook may overstate
    blank, has_begun = 0, False
    for number, row in enumerate(sheet.iter_rows(), start=1):
        if faults is not None:
            faults += [cell.value for cell in row if cell.data_type == "e"]
        values = [None if cell.data_type == "e" else cell.value for cell in row]
        record = [unescape(cell_text(value) or "") for value in values]  # “_x000D_”, as xlsxwriter and Excel write it
        while record and not record[-1].strip():
            record.pop()
        if not record:
            blank += 1
            if blank > MOST_BLANK:
                return
            continue
        yield from ((number - each, [""]) for each in range(blank if has_begun else 0, 0, -1))
        blank, has_begun = 0, True
        yield number, record
