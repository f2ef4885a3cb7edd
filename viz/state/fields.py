"""Every field of the selection under one name: its parameter in the address, and the key of its widget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from operator import attrgetter
from types import MappingProxyType
from typing import Any, get_type_hints

from viz.state.codecs import Browser, Codec, codec_of
from viz.state.selection import ADDRESS_BASE, Place, Selection

_PLACE = "shown_place"


@dataclass(frozen=True, slots=True)
class Field:
    """A value of the selection.

    Attributes:
        path: names of attributes with dots between. One that begins with "shown_place" is in the place of the model
            that the page shows.
        codec, browser, opening: as in `viz.state.codecs.param`.
    """

    path: str
    codec: Codec[Any]
    browser: Browser | None
    opening: bool


def _fields_of(record: Any, path: str = "") -> Iterator[tuple[str, Field]]:
    """The fields of a record and of those in it, by their names."""
    kinds = get_type_hints(record)
    for each in fields(record):
        kind, about = kinds[each.name], each.metadata
        if is_dataclass(kind) and not (kind is Place and path):  # of the two places, one is shown
            yield from _fields_of(kind, f"{path}{_PLACE if kind is Place else each.name}.")
        elif not is_dataclass(kind) and each.compare:
            codec = about.get("codec") or codec_of(kind)
            browser, opening = about.get("browser"), about.get("opening", False)
            yield about.get("name") or each.name, Field(f"{path}{each.name}", codec, browser, opening)


FIELDS: Mapping[str, Field] = MappingProxyType(dict(_fields_of(Selection)))
_READ: Mapping[str, Callable[[Selection], Any]] = {name: attrgetter(field.path) for name, field in FIELDS.items()}
TEXTS_OF_ENCODER, TEXTS_OF_DECODER = ("a", "b", "typed"), ("source",)
TEXTS = TEXTS_OF_ENCODER + TEXTS_OF_DECODER
DEFAULT_PLACE = Place()  # of an address that names none, for either kind of model


def value_of(selection: Selection, name: str) -> Any:
    """The value of a field."""
    return _READ[name](selection)


def text_of(selection: Selection, name: str) -> str:
    """The text of a field's value in an address."""
    return FIELDS[name].codec.encode(value_of(selection, name))


def default_of(name: str) -> Any:
    """The value of a field that an address omits."""
    return value_of(ADDRESS_BASE, name)


def opening_of(selection: Selection) -> tuple[Any, ...]:
    """The values that the opening of the page depends on."""
    return tuple(value_of(selection, name) for name, field in FIELDS.items() if field.opening)


def with_values(selection: Selection, values: Mapping[str, Any]) -> Selection:
    """The selection with other values of some fields.

    The view is set first, because it determines which model's layer and head are set.
    """
    for name in sorted(values, key=lambda name: name != "view"):
        selection = _with(selection, FIELDS[name].path.split("."), values[name])
    return selection


def _with(selection: Selection, path: list[str], value: Any) -> Selection:
    first, *rest = path
    if first == _PLACE:
        return selection.with_place(_replaced(selection.shown_place, rest, value))
    changed: Selection = _replaced(selection, path, value)
    return changed


def _replaced(record: Any, path: list[str], value: Any) -> Any:
    first, *rest = path
    return replace(record, **{first: _replaced(getattr(record, first), rest, value) if rest else value})
