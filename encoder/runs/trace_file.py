"""Arrays and what is said of them as one `.safetensors` file: the form in which a trace is stored.

The arrays are float32 and come back equal to the bit. What is said of them is JSON, under "about" in the metadata.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from encoder.errors import TraceFileError
from encoder.text.tokens import Tokens

FORMAT = "headlight.trace.1"
# The entries of `Tokens` that have a value for each token.
PER_TOKEN = (
    "pieces",
    "labels",
    "ids",
    "token_type_ids",
    "attention_mask",
    "special",
    "spans",
    "word_ids",
    "sentence_ids",
)


def pack(arrays: Mapping[str, NDArray[np.float32]], about: Mapping[str, Any]) -> bytes:
    """A file's bytes; `about` is anything that JSON can hold."""
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    # One entry: safetensors writes several of them in any order, and equal traces are to make equal files.
    return save(contiguous, metadata={"about": json.dumps({"format": FORMAT, **about})})


def unpack(data: bytes) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
    """The arrays, which cannot be written to, and what is said of them.

    Raises:
        TraceFileError: these are not the bytes of such a file.
    """
    try:
        arrays = load(data)
        length = int.from_bytes(data[:8], "little")
        about = json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["about"])
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise TraceFileError(f"This is no file of a trace: {error!r}.") from error
    found = about.pop("format", None) if isinstance(about, dict) else None
    if found != FORMAT:
        raise TraceFileError(f"This file's format is {found!r}; {FORMAT!r} can be read.")
    other = next((name for name, array in arrays.items() if array.dtype != np.float32), None)
    if other is not None:
        raise TraceFileError(f"{other} is {arrays[other].dtype} in this file; every array of a trace is float32.")
    return arrays, about


def describe_tokens(tokens: Tokens) -> dict[str, Any]:
    """Tokens as JSON can hold them."""
    return asdict(tokens)


def read_tokens(described: Mapping[str, Any]) -> Tokens:
    """What `describe_tokens` was given.

    Raises:
        TraceFileError: an entry is missing, or there are not as many of one as of another.
    """
    try:
        values = {field.name: _as_tuple(described[field.name]) for field in fields(Tokens)}
    except (KeyError, TypeError) as error:
        raise TraceFileError(f"The tokens in this file cannot be read: {error!r}.") from error
    counts = {name: len(values[name]) if isinstance(values[name], tuple) else -1 for name in PER_TOKEN}
    if len(set(counts.values())) > 1 or -1 in counts.values():
        raise TraceFileError(f"The tokens in this file are not as many everywhere: {counts}.")
    return Tokens(**values)


def _as_tuple(value: Any) -> Any:
    return tuple(map(_as_tuple, value)) if isinstance(value, list) else value
