"""Lines of a file, plain or gzipped; what is broken in a line is told and ends nothing."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from encoder.text.numbered_lines import numbered_lines

LONGEST = 1 << 20  # bytes; of a longer line no more than this is in memory


class Line(NamedTuple):
    """A line without its end.

    Attributes:
        number: counted from 1.
        text: empty where the line cannot be read.
        fault: why it cannot, or "".
    """

    number: int
    text: str
    fault: str = ""


def lines_of(path: Path) -> Iterator[Line]:
    """Every line of a file, empty ones included.

    Raises:
        DataError: the file is missing, cannot be read, or is a damaged gzip file.
    """
    for number, line in numbered_lines(path, longest=LONGEST):
        yield _decoded(number, line)


def _decoded(number: int, line: bytes) -> Line:
    if len(line) == LONGEST and not line.endswith(b"\n"):
        return Line(number, "", f"the line is longer than {LONGEST:,} bytes")
    try:
        text = line.removeprefix(BOM_UTF8 if number == 1 else b"").decode("utf-8")
        return Line(number, text.rstrip("\r\n"))
    except UnicodeDecodeError as error:
        return Line(number, "", f"byte {error.start} is no UTF-8")
