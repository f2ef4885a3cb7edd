"""The file format of traces: arrays and metadata in one `.safetensors` file.

The arrays are float32 and are restored bit by bit. The metadata has one entry, "about", which is JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from encoder.errors import TraceFileError
from encoder.text.tokens import PER_TOKEN, Tokens

FORMAT = "headlight.trace.1"


def pack(arrays: Mapping[str, NDArray[np.float32]], about: Mapping[str, Any]) -> bytes:
    """A file's bytes; `about` must be JSON-serialisable."""
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    # A single entry, because safetensors does not fix the order of several, and equal traces must give equal files.
    return save(contiguous, metadata={"about": json.dumps({"format": FORMAT, **about})})


def unpack(data: bytes) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
    """The arrays, which are read-only, and the metadata of a file.

    Raises:
        TraceFileError: it is not such a file.
    """
    try:
        arrays = load(data)
        length = int.from_bytes(data[:8], "little")
        about = json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["about"])
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise TraceFileError(f"This is not a trace file: {error!r}.") from error
    found = about.pop("format", None) if isinstance(about, dict) else None
    if found != FORMAT:
        raise TraceFileError(f"This file's format is {found!r}; {FORMAT!r} can be read.")
    other = next((name for name, array in arrays.items() if array.dtype != np.float32), None)
    if other is not None:
        raise TraceFileError(f"{other} is {arrays[other].dtype} in this file; every array of a trace is float32.")
    return arrays, about


def read_tokens(described: Mapping[str, Any]) -> Tokens:
    """Tokens from the values of `asdict`.

    Raises:
        TraceFileError: an entry is missing, or the numbers of entries differ.
    """
    try:
        described = {"unsegmented": (), "rewritten": None, **described}  # which files of earlier versions lack
        values = {field.name: as_tuple(described[field.name]) for field in fields(Tokens) if field.name != "first"}
    except (KeyError, TypeError) as error:
        raise TraceFileError(f"The tokens in this file cannot be read: {error!r}.") from error
    counts = {name: len(values[name]) if isinstance(values[name], tuple) else -1 for name in PER_TOKEN}
    if len(set(counts.values())) > 1 or -1 in counts.values():
        raise TraceFileError(f"The numbers of tokens in this file differ: {counts}.")
    return Tokens(**values)


def as_tuple(value: Any) -> Any:
    """A value of JSON with tuples in place of lists."""
    return tuple(map(as_tuple, value)) if isinstance(value, list) else value
