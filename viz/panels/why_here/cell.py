"""Which query and which key the score belongs to: those that are pinned, or else those of the largest weight."""

from __future__ import annotations

import streamlit as st

from encoder import Trace
from encoder.attribution.score_terms import Cell
from encoder.measures.unit_attention import strongest_cell
from encoder.measures.units import units_of
from viz.panels.common import texts_in
from viz.state import session
from viz.state.selection import Pins, Selection
from viz.widgets import select_box
from viz.wording.labels import make_visible


def choose_cell(trace: Trace, selection: Selection, place: str) -> Cell:
    """Two choices of a token, query and key; returns the cell that they show."""
    shown = [members[0] for members in units_of(trace.tokens, special=selection.special).members]
    cell, found = cell_of(trace, selection, shown, place)
    names = {position: token_name(trace, position) for position in shown}

    def pin(query: int, key: int) -> None:
        session.change(query=query, key=key, pinned_in=texts_in(place)[0])

    with st.container(horizontal=True, vertical_alignment="bottom"):
        query_box, key_box = (f"why_here_{side}_{place}" for side in ("query", "key"))
        on_query, on_key = (lambda query: pin(query, cell.key)), (lambda key: pin(cell.query, key))
        select_box("Query (from)", names, shown=cell.query, key=query_box, on_choice=on_query, width=240)
        select_box("Key (to)", names, shown=cell.key, key=key_box, on_choice=on_key, width=240)
    if found:
        st.caption(found)
    return cell


def cell_of(trace: Trace, selection: Selection, shown: list[int], place: str) -> tuple[Cell, str]:
    """The cell of the pinned tokens among those shown; what is not pinned has the largest weight.

    Returns the cell, and what is to be said of how it was found.
    """
    pins = selection.place.pins if selection.place.pins.run in texts_in(place) else Pins()
    words = [position for position in shown if not trace.tokens.special[position]] or shown
    queries = [position for position in shown if position == pins.query]
    keys = [position for position in shown if position == pins.key]
    weights = trace.weights(selection.layer)[selection.head]  # (T, T)
    cell = Cell(selection.layer, selection.head, *strongest_cell(weights, queries or words, keys or words))
    if queries and keys:
        return cell, ""
    what = "Only one token is pinned" if queries or keys else "No cell is pinned"
    return cell, (
        f"{what}: this is the largest weight between two different words there. Choose above, or click a cell in the "
        "heat map."
    )


def token_name(trace: Trace, position: int) -> str:
    """A token and its position: tokens repeat."""
    return f"“{make_visible(trace.tokens.labels[position])}” ({position})"
