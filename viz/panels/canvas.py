"""What our own canvas views take: the theme, the pinned texts, and the layers or heads that they show."""

from __future__ import annotations

from typing import Any

import streamlit as st

from encoder import Trace
from encoder.runs.arrays import FloatArray
from viz.caches import message_cache
from viz.caches.memo import VALUES, cached
from viz.components.head_map import head_map
from viz.components.store import store
from viz.panels.units import is_drawn, why_not_drawn
from viz.payloads.message import Message
from viz.state.messages import scope_of
from viz.state.selection import Selection
from viz.theme import THEMES, Theme


def theme() -> Theme:
    """The theme in which the page is shown now."""
    return THEMES["dark" if st.context.theme.type == "dark" else "light"]


def view_data(selection: Selection, *, place: str, colours: Theme | None = None) -> dict[str, Any]:
    """The data that every view of ours gets; what is selected it takes from the selection in the browser.

    Args:
        place: "pair", "A", "B" or "decoder"; a token that is pinned elsewhere is not pinned there.
        colours: None for those of the page.
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


def texts_in(place: str) -> list[str]:
    """The texts whose pinned tokens are seen at a place of the page: "pair", "A", "B" or "decoder"."""
    return ["A", "B"] if place == "pair" else [place]


def layers_id(trace: Trace, selection: Selection) -> str:
    """The id of the layers that heat map and head view draw: of weights, or of the chosen method."""
    level, special = selection.level, selection.special
    if selection.draws_weights:
        return message_cache.attention_id(trace, level=level, special=special)
    from viz.caches import attribution_cache  # imports torch

    return attribution_cache.layers_id(trace, quantity=selection.drawn, level=level, special=special)


def layers_message(trace: Trace, selection: Selection, layers: tuple[int, ...]) -> Message | None:
    """What heat map and head view draw of some layers; None where there is nothing to draw."""
    if not is_drawn(trace, selection):
        return None
    level, special = selection.level, selection.special
    if selection.draws_weights:
        return cached(message_cache.layers_message, trace, layers=layers, level=level, special=special)
    from viz.caches import attribution_cache  # imports torch

    return VALUES.get(
        attribution_cache.layers_message, trace, layers=layers, quantity=selection.drawn, level=level, special=special
    )


def map_of_heads(trace: Trace, selection: Selection, *, place: str, large: bool, **options: Any) -> FloatArray:
    """Every head of a trace as a small picture; a click chooses one. Returns (L, H, U) removed mass.

    Args:
        options: of `viz.components.head_map.head_map`.
    """
    key = f"{'model_view' if large else 'map'}_{place}"
    message, removed = heads_message(trace, selection)
    store(message, key=f"store_{key}")
    head_map(view_data(selection, place=place), message=message, large=large, key=key, **options)
    return removed


def heads_message(trace: Trace, selection: Selection) -> tuple[Message, FloatArray]:
    """What the map of all heads draws, and (L, H, U), what each unit gives to tokens that are hidden.

    A method that does not apply leaves the map with the weights.
    """
    level, special = selection.level, selection.special
    if selection.draws_weights or why_not_drawn(trace, selection):
        return cached(message_cache.model_message, trace, level=level, special=special)
    from viz.caches import attribution_cache  # imports torch

    return VALUES.get(attribution_cache.model_message, trace, quantity=selection.drawn, level=level, special=special)
