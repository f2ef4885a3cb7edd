"""Lines of a file, plain or gzipped, whatever its name."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from encoder.errors import DataError


def numbered_lines(path: Path, *, longest: int = -1) -> Iterator[tuple[int, bytes]]:
    """Every line with its number, counted from 1, and with its end.

    Args:
        longest: bytes that are kept of a line; the rest of it is passed over. -1 = all.
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
