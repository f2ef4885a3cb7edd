"""One head's attention as a heat map."""

from __future__ import annotations

import streamlit as st

from encoder import Trace
from encoder.measures.attention import head_or_mean, shown_attention, within_sentences
from encoder.measures.units import Units
from encoder.trace import FloatArray
from viz import cache
from viz.components.cell_map import cell_map
from viz.components.store import store
from viz.figures.config import plot_config
from viz.figures.heat_map import COLUMN, HALF, attention_heat_map
from viz.panel import Reading, beside, head_name, heard, shown_units, tell_removed, texts_of, theme, view_data
from viz.state import Selection

PLOTLY_LIMIT = 40  # tokens that the figure can name in a column of a laptop's screen, at 16 pixels each


def heat_map(trace: Trace, selection: Selection, *, place: str) -> Reading | None:
    """Queries down, keys across, for the selected layer and head."""
    units = shown_units(trace, selection)
    if units is None:
        return None
    draw = _figure if len(units) <= PLOTLY_LIMIT else _canvas
    tell_removed(draw(trace, units, selection, place), selection)
    return Reading(
        "Each row is a token that looks (query), each column a token that is looked at (key)"
        + ("." if selection.special == "hide" else "; a row sums to 1."),
        "A large weight does not mean that the token matters for the result: attention is not an explanation.",
    )


def _figure(trace: Trace, units: Units, selection: Selection, place: str) -> FloatArray:
    """Plotly's, with every token named. Returns (U,), what each query gives to tokens that are not shown."""
    weights = head_or_mean(trace.weights(selection.layer), selection.head)  # (T, T)
    attention, removed = shown_attention(weights, units, selection.special)  # (U, U), (U,)
    figure = attention_heat_map(
        within_sentences(attention, units, selection.sentences),
        units.labels,
        theme=theme(),
        title=head_name(selection),
        sentence_b_start=units.sentence_b_start,
        room=HALF if place != "pair" and beside([trace]) else COLUMN,
    )
    name = f"attention-{head_name(selection)}"
    with st.container(horizontal_alignment="center"):
        st.plotly_chart(figure, width="content", theme=None, config=plot_config(name), key=f"heat_map_{place}")
    return removed


def _canvas(trace: Trace, units: Units, selection: Selection, place: str) -> FloatArray:
    """Ours, of any size. Returns the same as `_figure`."""
    key = f"cell_map_{place}"
    message, removed = cache.layer_message(  # (H, U)
        trace.model_name, texts_of(trace), layer=selection.layer, level=selection.level, special=selection.special
    )
    store(message, key=f"store_{place}")
    data = view_data(selection, key=key, place=place)
    cell_map(data, message=message, title=head_name(selection), place=place, key=key, on_selection=heard(key))
    st.caption(
        "Drag over a part to enlarge it, double-click to go back. Ctrl or ⌘ with the wheel zooms; the wheel alone or "
        "a drag with Shift moves an enlarged picture. A click selects a cell, Escape releases it."
    )
    return head_or_mean(removed, selection.head)
