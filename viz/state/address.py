"""The selection in the page's address: a link or a reload restores the same page.

An address that names no field opens `DEFAULT`, and one that names a view alone opens the view's start if it has one. In
any other, a field that it omits has its value of `ADDRESS_BASE`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from viz.state.codecs import UnreadableError
from viz.state.fields import (
    DEFAULT_PLACE,
    FIELDS,
    TEXTS_OF_DECODER,
    TEXTS_OF_ENCODER,
    default_of,
    text_of,
    value_of,
    with_values,
)
from viz.state.selection import ADDRESS_BASE, DEFAULT, Selection, View
from viz.state.starts import STARTS

LONGEST_LINK = 8_000  # browsers and servers cut or refuse longer addresses
LONGEST_QUOTE = 40  # characters of a text that was ignored


def from_query(params: Mapping[str, str], current: Selection = DEFAULT) -> tuple[Selection, tuple[str, ...]]:
    """A selection from the parameters of a link, and a sentence for each parameter that could not be read.

    Args:
        params: texts by name; unknown names are ignored.
        current: gives the place of the model that the link does not show, which no address names.
    """
    values: dict[str, Any] = {}
    problems = []
    for name, field in FIELDS.items():
        if name not in params:
            continue
        try:
            values[name] = field.codec.decode(params[name])
        except UnreadableError as error:
            problems.append(f"{name}={params[name][:LONGEST_QUOTE]!r} was ignored: {error}.")
    if "a" in values:  # a user's text never comes with the example's other sentence
        values.setdefault("b", "")
    base = DEFAULT if FIELDS.keys().isdisjoint(params) else ADDRESS_BASE
    unread = replace(base, place=current.place, decoder=replace(base.decoder, place=current.decoder.place))
    opened = with_values(unread, {"view": values.get("view", base.view)})
    return with_values(opened.with_place(DEFAULT_PLACE), values), tuple(problems)


def to_query(selection: Selection) -> dict[str, str]:
    """The parameters of a link to a selection: none for `DEFAULT`, else what differs from `ADDRESS_BASE`.

    A link to a stop of a tour names the view, too: without it, the stop opens in the view of the tour.
    Texts too long for an address are omitted; `left_out` names them.
    """
    params = differences(selection)
    if "a" in params or "b" in params:
        params |= {"a": selection.texts.a, "b": selection.texts.b}
    if selection.tour:
        params |= {name: text_of(selection, name) for name in ("stop", "view")}
    too_long = left_out(selection)
    params = {name: text for name, text in params.items() if name not in too_long}
    opening = differences(DEFAULT)
    if params == opening:
        return {}
    if not params or means_start(params, selection.view):  # an empty address means DEFAULT
        name = next(iter(opening))
        return {name: text_of(selection, name), **params}
    return params


def means_start(params: Mapping[str, str], view: View) -> bool:
    """Whether an address names nothing but a view that has a start."""
    return FIELDS.keys() & params.keys() == {"view"} and view in STARTS


def differences(selection: Selection) -> dict[str, str]:
    """The texts of the fields that differ from `ADDRESS_BASE`, by name."""
    return {name: text_of(selection, name) for name in FIELDS if value_of(selection, name) != default_of(name)}


def left_out(selection: Selection) -> tuple[str, ...]:
    """The names of the texts that a link omits because not all fit: those of the hidden page first."""
    shown, hidden = _texts_of_pages(selection)
    if _length(selection, shown) > LONGEST_LINK:
        return shown + hidden
    return () if _length(selection, shown + hidden) <= LONGEST_LINK else hidden


def fits_link(selection: Selection) -> bool:
    """Whether all texts of the open page fit into an address."""
    return _length(selection, _texts_of_pages(selection)[0]) <= LONGEST_LINK


def _texts_of_pages(selection: Selection) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the texts of the open page, and of those of the other page."""
    pages = (TEXTS_OF_ENCODER, TEXTS_OF_DECODER)
    return pages[::-1] if selection.shows_decoder else pages


def _length(selection: Selection, names: tuple[str, ...]) -> int:
    """Characters that some texts take in an address, which names either both sentences or none."""
    texts = {name: value_of(selection, name) for name in names}
    written = {name: text for name, text in texts.items() if name in ("a", "b") or text != default_of(name)}
    return len(urlencode(written))
