"""Values as lines of the golden file.

Texts are written word for word. Numbers stand at the end of a line, behind "≈", and are compared with a tolerance
(`tests.golden.differences`): up to `MOST_NUMBERS` one by one, longer arrays as their shape, mean, root mean square and
two projections on fixed patterns, of which one changes with any change of order, and their first numbers.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

MOST_NUMBERS, FIRST_NUMBERS = 24, 6
LONGEST_TEXTS = 300  # characters of a list of texts
LONGEST_TEXT = 4_000
MARK = " ≈ "
IDENTITY = re.compile(r"\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b[0-9a-f]{10,}\b")  # of a run, a session or a widget
NUMBER = re.compile(r"[-−]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")


def fact(name: str, value: Any) -> Iterator[str]:
    """A value as JSON can hold it: a line for each of its parts."""
    if isinstance(value, np.ndarray):
        yield from _array(name, value)
    elif isinstance(value, Mapping) and {"dtype", "bdata"} <= value.keys():  # an array of Plotly's
        yield from _array(name, plotly_array(value))
    elif isinstance(value, Mapping) and len(value) > MOST_NUMBERS:
        yield from fact(f"{name} of {texts(map(str, value))}", list(value.values()))
    elif isinstance(value, Mapping):
        for key in value:
            yield from fact(f"{name}.{key}" if name else str(key), value[key])
    elif isinstance(value, str):
        yield f"{name}: {text(value)}"
    elif isinstance(value, Sequence):
        yield from _list(name, value)
    elif isinstance(value, float):
        yield f"{name}{MARK}{number(value)}"
    else:
        yield f"{name}: {json.dumps(value)}"


def text(value: str) -> str:
    """A text on one line; a very long one as its beginning and a digest."""
    value = IDENTITY.sub("<id>", value)
    if len(value) > LONGEST_TEXT:
        value = f"{value[:LONGEST_TEXT]} … {len(value)} characters, {digest(value)}"
    return json.dumps(value, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("≈", "~")


def texts(values: Iterable[str]) -> str:
    """Texts on one line. Of many, the first, and the numbers in them apart from the rest."""
    written = [text(value) for value in values]
    line = " | ".join(written)
    if len(line) <= LONGEST_TEXTS:
        return line
    numbers = np.array([float(each.replace("−", "-")) for each in NUMBER.findall(line)])
    start = NUMBER.sub("#", line[:LONGEST_TEXTS])
    words = f"{len(written)} texts, {digest(NUMBER.sub('#', line))}: {start} …"
    return f"{words}{MARK}{checksum(numbers)}" if len(numbers) else words


def number(value: float) -> str:
    if value == int(value) and abs(value) < 1e9:
        return str(int(value))
    return f"{value:.4g}"


def checksum(values: np.ndarray[Any, Any]) -> str:
    """Mean, root mean square, two projections and the first numbers of an array."""
    flat = np.asarray(values, dtype=np.float64).ravel()
    if not len(flat):
        return ""
    places = np.arange(1, len(flat) + 1)
    patterns = (np.sin(places * 12.9898) * 1.4, np.sin(places * 0.754877 + places**2 * 0.0569840))
    projections = [float(pattern @ flat / np.sqrt(len(flat))) for pattern in patterns]
    found = [float(flat.mean()), float(np.sqrt((flat**2).mean())), *projections, *map(float, flat[:FIRST_NUMBERS])]
    return " ".join(map(number, found))


def digest(value: str) -> str:
    return sha256(value.encode()).hexdigest()[:8]


def plotly_array(sent: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    """An array that Plotly sends as the bytes of its numbers."""
    shape = tuple(map(int, str(sent.get("shape", "-1")).split(",")))
    return np.frombuffer(base64.b64decode(sent["bdata"]), dtype=sent["dtype"]).reshape(shape)


def _array(name: str, values: np.ndarray[Any, Any]) -> Iterator[str]:
    shape = "×".join(map(str, values.shape))
    missing = int((~np.isfinite(values)).sum()) if values.dtype.kind == "f" else 0
    values = np.nan_to_num(values.astype(np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    about = f"{name} ({shape}{f', {missing} missing' if missing else ''})"
    if values.size <= MOST_NUMBERS:
        yield f"{about}{MARK}{' '.join(map(number, map(float, values.ravel())))}"
    else:
        yield f"{about}{MARK}{checksum(values)}"


def _list(name: str, values: Sequence[Any]) -> Iterator[str]:
    numbers = _numbers(values)
    if numbers is not None:
        yield from _array(name, numbers)
    elif all(isinstance(value, str) for value in values):
        yield f"{name} ({len(values)}): {texts(values)}"
    elif all(isinstance(value, list | tuple) and all(isinstance(each, str) for each in value) for value in values):
        rows = " / ".join(text(" | ".join(value)) for value in values)
        yield f"{name} ({len(values)} lists): {texts([rows])}"
    elif len(values) > 1 and all(isinstance(value, Mapping) for value in values):
        for key in dict.fromkeys(key for value in values for key in value):  # a column for each key
            yield from fact(f"{name}[*].{key}", [value.get(key) for value in values])
    elif all(value is None or isinstance(value, str | bool | int | float) for value in values):
        yield f"{name} ({len(values)}): {texts('-' if value is None else str(value) for value in values)}"
    elif len(values) > MOST_NUMBERS:
        yield f"{name} ({len(values)}): {texts(json.dumps(value, ensure_ascii=False) for value in values)}"
    else:
        for index, value in enumerate(values):
            yield from fact(f"{name}[{index}]", value)


def _numbers(values: Sequence[Any]) -> np.ndarray[Any, Any] | None:
    """A list, or lists of one length, of numbers and None, as an array; None where it is something else."""
    try:
        found = np.array(values, dtype=object)
    except ValueError:
        return None
    flat = found.ravel()
    if not len(flat) or not all(_is_number(value) or value is None for value in flat) or not any(map(_is_number, flat)):
        return None
    return np.array([np.nan if value is None else float(value) for value in flat]).reshape(found.shape)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
