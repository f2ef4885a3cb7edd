"""Read safetensors files of a model folder into private memory.

By default, the library maps files into memory. If such a file is truncated or overwritten meanwhile, the process dies
with SIGBUS or sees the new content. Here the content is copied, and a file that is too short is an error.

Source of the layout: https://github.com/huggingface/safetensors#format
"""

from __future__ import annotations

import json
import math
import os
import re
import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import torch
from torch import Tensor

from encoder.errors import CheckpointError, UnsupportedModelError
from encoder.models.files import read_json
from encoder.models.other_formats import BEGINNINGS, check_weight_files

SINGLE, INDEX = "model.safetensors", "model.safetensors.index.json"
BARE_NAME = re.compile(r"[^/\\]+\.safetensors")
EXPORTS = (".onnx", ".xml", ".gguf")  # in folders below
LENGTH = 8  # bytes of the header's length
LARGEST_HEADER = 100_000_000  # bytes, as in the library
SCALES = re.compile(r"(?:^|[._])(?:scales?|scale_inv|SCB|absmax|zero_points?|qzeros)$")
_SEEKING = threading.Lock()
READERS = 4  # threads: page faults take as long as the reading

DTYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "F8_E4M3": torch.float8_e4m3fn,
    "F8_E5M2": torch.float8_e5m2,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U64": torch.uint64,
    "U32": torch.uint32,
    "U16": torch.uint16,
    "U8": torch.uint8,
    "BOOL": torch.bool,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTensor:
    """A tensor's place in its file; `start` is its offset in bytes."""

    path: Path
    dtype: torch.dtype
    shape: tuple[int, ...]
    start: int

    @property
    def num_bytes(self) -> int:
        """The size of its values in bytes."""
        return math.prod(self.shape) * self.dtype.itemsize


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a safetensors file: its tensors by name, and its metadata."""

    tensors: dict[str, StoredTensor]
    metadata: dict[str, str]


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files that hold a folder's model: `model.safetensors`, or all that its index names.

    A file may be a link, as in the hub's cache: anyone who can create a link here could also name its target.
    But names in an index may come from anywhere, so they must be in the folder.

    Raises:
        CheckpointError: there are none, they have other names, or the index lists something else.
    """
    below = (path.relative_to(folder) for path in folder.glob("*/*") if path.suffix in EXPORTS)
    found = check_weight_files([*(path.name for path in folder.iterdir()), *map(str, below)], str(folder))
    if SINGLE in found:
        return [folder / SINGLE]
    if not (folder / INDEX).exists():
        raise CheckpointError(f"{folder} cannot be loaded: its weights are called {found[0]}, not {SINGLE}.")
    weight_map = read_json(folder / INDEX).get("weight_map")
    if not isinstance(weight_map, dict) or not weight_map:
        raise CheckpointError(f"{folder / INDEX} names no files.")
    names = sorted({str(name) for name in weight_map.values()})
    for name in names:
        if not BARE_NAME.fullmatch(name):
            raise CheckpointError(
                f"{folder / INDEX} names {name[:80]!r}; only .safetensors files in the same folder are read."
            )
    return [folder / name for name in names]


def read_headers(paths: Iterable[Path]) -> dict[str, StoredTensor]:
    """The tensors of some files by name, without their values.

    Raises:
        CheckpointError: as `read_header`.
        UnsupportedModelError: weights are quantised.
    """
    tensors = {name: tensor for path in paths for name, tensor in read_header(path).tensors.items()}
    _check_not_quantised(tensors)
    return tensors


def _check_not_quantised(tensors: Mapping[str, StoredTensor]) -> None:
    """Refuse weights that are integers, or that tensors of scales belong to: their values alone mean nothing."""
    has_scales = any(map(SCALES.search, tensors))
    for name, tensor in tensors.items():
        whole = not tensor.dtype.is_floating_point and not tensor.dtype.is_complex
        if "weight" in name.rpartition(".")[2] and (whole or (has_scales and tensor.dtype.itemsize == 1)):
            dtype = str(tensor.dtype).removeprefix("torch.")
            raise UnsupportedModelError(
                f"{tensor.path} holds weights as {dtype} ({name}), whose values need scales to mean anything: save the "
                "model in float32 or float16 before it was quantised, and load that."
            )


def read_header(path: Path) -> Header:
    """The header of a safetensors file, checked against the size of the file.

    Raises:
        CheckpointError: the file is missing, not a safetensors file, or too short.
    """
    try:
        if path.exists() and not path.is_file():
            raise CheckpointError(f"{path} is not a regular file.")
        with path.open("rb") as file:
            return _parse_header(path, file)
    except OSError as error:
        raise CheckpointError(f"{path} cannot be loaded: {error.strerror or error}.") from error


def _parse_header(path: Path, file: BinaryIO) -> Header:
    size = os.fstat(file.fileno()).st_size
    length = int.from_bytes(file.read(LENGTH), "little")
    data_start = LENGTH + length
    if not 0 < length <= LARGEST_HEADER or data_start > size:
        file.seek(0)
        start = file.read(max(map(len, BEGINNINGS)))
        for beginning, what in BEGINNINGS.items():
            if start.startswith(beginning):
                raise CheckpointError(f"{path} {what}.")
        raise _unreadable(path, f"{size:,} bytes with a header of {length:,}")
    try:
        entries = json.loads(file.read(length))
        metadata = {str(key): str(value) for key, value in (entries.pop("__metadata__", None) or {}).items()}
        tensors = {
            name: StoredTensor(
                path=path,
                dtype=DTYPES[entry["dtype"]],
                shape=tuple(_size(number) for number in entry["shape"]),
                start=data_start + _size(entry["data_offsets"][0]),
            )
            for name, entry in entries.items()
        }
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise _unreadable(path, f"its header does not describe tensors: {type(error).__name__}") from error
    _check_layout(path, tensors.values(), data_start, size)
    return Header(tensors, metadata)


def _size(number: Any) -> int:
    if type(number) is not int or not 0 <= number < 2**48:
        raise ValueError(number)
    return number


def _check_layout(path: Path, tensors: Iterable[StoredTensor], data_start: int, size: int) -> None:
    """Check that the tensors fill the file without gaps, so that they take no more memory than the file."""
    ordered = sorted(tensors, key=lambda tensor: (tensor.start, tensor.num_bytes))
    ends = [data_start, *(tensor.start + tensor.num_bytes for tensor in ordered)]
    if any(start != end for start, end in zip((tensor.start for tensor in ordered), ends, strict=False)):
        raise _unreadable(path, "its tensors overlap, or leave gaps")
    if any(end < before for before, end in pairwise(ends)) or ends[-1] != size:
        raise _unreadable(path, f"it has {size:,} bytes in place of {ends[-1]:,}")


def _unreadable(path: Path, what: str) -> CheckpointError:
    return CheckpointError(f"{path} cannot be loaded: it is damaged, incomplete, or not a safetensors file ({what}).")


def read_tensors(stored: dict[str, StoredTensor]) -> dict[str, Tensor]:
    """The values of tensors, by name.

    Raises:
        CheckpointError: a file is missing or too short.
    """
    paths = {tensor.path for tensor in stored.values()}
    files: dict[Path, BinaryIO] = {}
    try:
        for path in sorted(paths):
            files[path] = path.open("rb", buffering=0)
        with ThreadPoolExecutor(READERS) as readers:
            tensors = readers.map(lambda tensor: _read(files[tensor.path], tensor), stored.values())
            return dict(zip(stored, tensors, strict=True))
    except OSError as error:
        raise CheckpointError(f"{error.filename or 'A weight file'} cannot be loaded: {error.strerror}.") from error
    finally:
        for file in files.values():
            file.close()


def _read(file: BinaryIO, stored: StoredTensor) -> Tensor:
    tensor = torch.empty(stored.shape, dtype=stored.dtype)
    values: Any = tensor.view(-1).view(torch.uint8).numpy()
    room, done = memoryview(values), 0
    while done < len(room):
        count = _read_at(file, room[done:], stored.start + done)
        if not count:
            raise _unreadable(stored.path, "it became shorter while it was read")
        done += count
    return tensor


def _read_at(file: BinaryIO, room: memoryview, start: int) -> int:
    """Read into a buffer at an offset, thread-safe; returns the number of bytes read."""
    if hasattr(os, "preadv"):
        return os.preadv(file.fileno(), [room], start)
    with _SEEKING:  # Windows has no `preadv`
        file.seek(start)
        return file.readinto(room)  # type: ignore[attr-defined]
