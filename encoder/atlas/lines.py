"""Lines of a file, plain or gzipped; what is broken in a line is told and ends nothing."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from encoder.errors import DataError

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
    number = 0
    try:
        with path.open("rb") as raw:
            zipped = raw.read(2) == b"\x1f\x8b"
        with cast(BinaryIO, gzip.open(path)) if zipped else path.open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(LONGEST), b""), start=1):
                yield _decoded(number, line, file)
    except FileNotFoundError as error:
        raise DataError(f"There is no file {path}.") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(
            f"{path}, line {number + 1}: the compressed file is truncated or damaged ({error}): fetch it again."
        ) from error
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error}") from error


def _decoded(number: int, line: bytes, file: BinaryIO) -> Line:
    if len(line) == LONGEST and not line.endswith(b"\n"):
        for rest in iter(lambda: file.readline(LONGEST), b""):
            if rest.endswith(b"\n"):
                break
        return Line(number, "", f"the line is longer than {LONGEST:,} bytes")
    try:
        return Line(number, line.decode("utf-8").rstrip("\r\n"))
    except UnicodeDecodeError as error:
        return Line(number, "", f"byte {error.start} is no UTF-8")
