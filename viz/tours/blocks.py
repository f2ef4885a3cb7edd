"""The YAML block of a stop, read event by event: a mapping of texts and of lists of texts, and nothing else.

It builds no objects and follows no aliases, so a block cannot expand. Values stay as written: `no` is a text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from encoder.errors import TourError

LONGEST_VALUE = 10_000  # characters
MOST_ENTRIES = 100
_TOO_DEEP = "A value is a text or a list of texts, nothing deeper."


@dataclass(frozen=True, slots=True)
class Scalar:
    """A text, and the line of the file that it begins in."""

    text: str
    line: int


Value = Scalar | list[Scalar]


def read_block(text: str, first_line: int) -> dict[Scalar, Value]:
    """The keys and values of a block, in its order.

    Args:
        first_line: of the block in its file, counted from 1.
    Raises:
        TourError: it is not YAML or not such a mapping, or a key occurs twice.
    """
    try:
        return _read(yaml.parse(text, Loader=yaml.SafeLoader), first_line)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = first_line + (mark.line if mark else 0)
        raise TourError(line, f"This is no YAML: {error.problem or error.context}.") from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # invalid characters or escapes
        raise TourError(first_line, f"This is no YAML: {str(error).splitlines()[0]}.") from error


def write_block(values: Mapping[str, str | int | list[str]]) -> str:
    """The text of a block, which `read_block` reads back, also where more lines follow."""
    if not values:
        return ""
    text: str = yaml.dump(dict(values), Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=110)
    return text.removesuffix("...\n")  # PyYAML's document end


def _read(events: Iterator[Any], first_line: int) -> dict[Scalar, Value]:
    found: dict[Scalar, Value] = {}
    seen: set[str] = set()
    depth, key = 0, None
    for event in events:
        line = first_line + event.start_mark.line
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) or getattr(event, "tag", None):
            raise TourError(line, "Aliases, anchors and tags of YAML are not allowed.")
        if isinstance(event, yaml.MappingStartEvent):
            if depth or found:
                raise TourError(line, _TOO_DEEP)
            depth = 1
        elif isinstance(event, yaml.SequenceStartEvent):
            if depth != 1 or key is None:
                raise TourError(line, "The block is a list of names with a value each." if not depth else _TOO_DEEP)
            depth, found[key] = 2, []
        elif isinstance(event, yaml.SequenceEndEvent):
            depth, key = 1, None
        elif isinstance(event, yaml.ScalarEvent):
            scalar = _scalar(event.value, line)
            if not depth and not event.value:
                continue  # an empty block
            if not depth:
                raise TourError(line, "The block is a list of names with a value each.")
            if depth == 2 and key is not None:
                _append(found[key], scalar)
            elif key is None:
                key = _new_key(scalar, seen)
            else:
                found[key], key = scalar, None
        elif isinstance(event, yaml.DocumentStartEvent) and (event.explicit or found):
            raise TourError(line, "A block is one document of YAML, without “---” or “%”.")
    return found


def _scalar(text: str, line: int) -> Scalar:
    if len(text) > LONGEST_VALUE:
        raise TourError(line, f"A value has {len(text):,} characters; {LONGEST_VALUE:,} are allowed.")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise TourError(line, "A value holds half a character (a lone surrogate).")
    return Scalar(text, line)


def _append(value: Value, scalar: Scalar) -> None:
    if isinstance(value, list):
        if len(value) == MOST_ENTRIES:
            raise TourError(scalar.line, f"A list has more than {MOST_ENTRIES} entries.")
        value.append(scalar)


def _new_key(scalar: Scalar, seen: set[str]) -> Scalar:
    if scalar.text in seen:
        raise TourError(scalar.line, f"“{scalar.text[:40]}” is given twice.")
    if len(seen) == MOST_ENTRIES:
        raise TourError(scalar.line, f"A block has more than {MOST_ENTRIES} names.")
    seen.add(scalar.text)
    return scalar


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]  # PyYAML comes without types
    """Writes texts of several lines as such."""


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None
    if any(character in text for character in "\x85\u2028\u2029\ufeff"):
        style = '"'  # YAML treats these as line breaks
    elif "\n" in text:
        style = "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)
