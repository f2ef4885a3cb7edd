"""What our own canvas views take: the theme, the pinned texts, and the layers or heads that they show."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import streamlit as st

from encoder import Trace
from encoder.runs.arrays import FloatArray
from viz.caches import message_cache
from viz.caches.memo import VALUES, cached
from viz.components.head_map import head_map
from viz.components.wires.store import store
from viz.payloads.message import Message
from viz.state.fields import text_of
from viz.state.messages import scope_of
from viz.state.selection import Selection, texts_in
from viz.theme import THEMES, Theme
from viz.widgets import choice
from viz.widgets.units import can_be_cut, is_drawn, why_not_drawn


def theme() -> Theme:
    """The current theme of the page."""
    return THEMES["dark" if st.context.theme.type == "dark" else "light"]


def view_data(selection: Selection, *, place: str, colours: Theme | None = None) -> dict[str, Any]:
    """The data of every canvas view; the view reads the selection itself in the browser.

    Args:
        place: "pair", "A", "B" or "decoder"; pins of other places are ignored.
        colours: None for the theme of the page.
    """
    colours = colours or theme()
    return {
        "scope": scope_of(selection),
        "texts": texts_in(place),
        "special": selection.special,
        "theme": {
            "heads": list(colours.head_colours),
            "sequential": [list(stop) for stop in colours.sequential],
            "diverging": [list(stop) for stop in colours.diverging],
            "muted": colours.muted,
        },
    }


def compared_runs(selection: Selection, others: Mapping[str, Trace]) -> dict[str, Any]:
    """The runs that a view's run is compared with."""
    return {"others": [{"id": layers_id(other, selection), "texts": texts_in(name)} for name, other in others.items()]}


def cuts_of(trace: Trace, selection: Selection, *, place: str) -> dict[str, Any]:
    """The cut links for a view, where a link of the run can be cut; there Ctrl+Z undoes a cut."""
    if not can_be_cut(trace):
        return {}
    return {"cuts": {"run": "B" if place == "B" else "A", "shown": text_of(selection, "cut")}}


def layers_id(trace: Trace, selection: Selection) -> str:
    """The id of the layers for heat map and head view: of weights, or of the chosen method."""
    level, special = selection.level, selection.special
    if selection.draws_weights:
        return message_cache.attention_id(trace, level=level, special=special)
    from viz.caches import attribution_cache  # imports torch

    return attribution_cache.layers_id(trace, quantity=selection.drawn, level=level, special=special)


def layers_message(trace: Trace, selection: Selection, layers: tuple[int, ...]) -> Message | None:
    """Some layers for heat map and head view; None if there is nothing to show."""
    if not is_drawn(trace, selection):
        return None
    level, special = selection.level, selection.special
    if selection.draws_weights:
        return cached(message_cache.layers_message, trace, layers=layers, level=level, special=special)
    from viz.caches import attribution_cache  # imports torch

    return VALUES.get(
        attribution_cache.layers_message, trace, layers=layers, quantity=selection.drawn, level=level, special=special
    )


def run_of_map(places: Collection[str], selection: Selection) -> str:
    """The place of the run whose map of all heads is shown: that of the selected cell, or the first."""
    run = selection.place.pins.run
    return run if run in places else next(iter(places))


def choose_run(places: Collection[str], selection: Selection) -> str:
    """The choice of the run whose map of all heads is shown, if there are several. Returns its place."""
    shown = run_of_map(places, selection)
    if len(places) > 1:
        titles = {place: place for place in places}
        choice("Map of sentence", titles, field="pinned_in", labelled=False, key="map_of", to_widget=lambda _: shown)
    return shown


def map_of_heads(trace: Trace, selection: Selection, *, place: str, large: bool, **options: Any) -> FloatArray:
    """Every head of a trace as a small picture; a click chooses one. Returns (L, H, U) removed mass.

    Args:
        options: of `viz.components.head_map.head_map`.
    """
    key = f"{'model_view' if large else 'map'}_{place}"
    message, removed = heads_message(trace, selection)
    store(message, key=f"store_{key}")
    data = view_data(selection, place=place) | cuts_of(trace, selection, place=place)
    head_map(data, message=message, large=large, key=key, **options)
    return removed


def heads_message(trace: Trace, selection: Selection) -> tuple[Message, FloatArray]:
    """The message for the map of all heads, and (L, H, U) attention of each unit to hidden tokens.

    Falls back to the weights if the chosen method does not apply.
    """
    level, special = selection.level, selection.special
    if selection.draws_weights or why_not_drawn(trace, selection):
        return cached(message_cache.model_message, trace, level=level, special=special)
    from viz.caches import attribution_cache  # imports torch

    return VALUES.get(attribution_cache.model_message, trace, quantity=selection.drawn, level=level, special=special)
