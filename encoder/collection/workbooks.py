"""The rows of an Excel workbook: its first sheet with several rows, read row by row by openpyxl."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from io import BytesIO
from itertools import chain, islice
from typing import Any, Final

from encoder.collection.delimited import header_of
from encoder.collection.growing_table import cell_text
from encoder.collection.table import HowRead, unique_names
from encoder.errors import DataError
from encoder.extras import name_missing_extra

HEAD: Final = 200  # rows, by which the header is found
MOST_BLANK: Final = 10_000  # rows in sequence


@name_missing_extra()
def rows_of_workbook(data: bytes, name: str, how: HowRead) -> tuple[Iterator[dict[str, str | None]], str, list[str]]:
    """The rows of a workbook, what it is in words, and remarks. Raises DataError where it is broken or empty."""
    from openpyxl import load_workbook  # takes long to import

    try:
        book = load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
        sheets = [sheet for sheet in book.worksheets if next(_records(sheet), None) is not None]
    except (KeyError, ValueError, TypeError, AttributeError, OSError, zipfile.BadZipFile, SyntaxError) as error:
        raise DataError(f"{name} is no Excel workbook, or is damaged: save it again, or as CSV UTF-8.") from error
    if not sheets:
        raise DataError(f"{name} is empty.")
    records = _records(sheets[0])
    head = list(islice(records, HEAD))
    above, names, _, remarks = header_of(head, max(map(len, head)), how.header)
    names = [*unique_names(names)]
    if len(sheets) > 1:
        others = ", ".join(f"“{sheet.title}”" for sheet in sheets[1:4])
        remarks.append(f"The sheet “{sheets[0].title}” is read, and not {others}.")

    def rows() -> Iterator[dict[str, str | None]]:
        for record in chain(head[above:], records):
            if len(record) > len(names):
                raise DataError(
                    f"{name}: a row has {len(record)} cells, and the header {len(names)}: name all columns."
                )
            yield dict(zip(names, [*record, *[""] * (len(names) - len(record))], strict=True))

    return rows(), "Excel workbook", remarks


def _records(sheet: Any) -> Iterator[list[str]]:
    """The rows from the first that is not blank to the last one, without blank cells at their ends."""
    sheet.reset_dimensions()  # which a workbook may overstate
    blank, has_begun = 0, False
    for row in sheet.iter_rows(values_only=True):
        record = [cell_text(cell) or "" for cell in row]
        while record and not record[-1].strip():
            record.pop()
        if not record:
            blank += 1
            if blank > MOST_BLANK:
                return
            continue
        yield from [[""]] * (blank if has_begun else 0)
        blank, has_begun = 0, True
        yield record
