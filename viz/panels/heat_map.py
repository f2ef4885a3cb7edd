"""One head's attention as a heat map, or what another method gives of a layer."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import streamlit as st

from encoder import Trace
from viz.components.cell_map import cell_map
from viz.panels.canvas import layers_id, view_data
from viz.panels.units import drawn_units
from viz.state import session
from viz.state.selection import Selection, texts_in
from viz.wording.explanations import Explanation, attribution_explanation, heat_map_explanation


def heat_map(
    trace: Trace, selection: Selection, *, place: str, others: Mapping[str, Trace] = MappingProxyType({})
) -> Explanation | None:
    """Queries down, keys across, for the selected layer and head.

    Args:
        others: the traces that this one is compared with, by place; their cells have the same size and colours.
    """
    if drawn_units(trace, selection) is None:
        return None
    run = layers_id(trace, selection)
    compared = [{"id": layers_id(other, selection), "texts": texts_in(name)} for name, other in others.items()]
    data = view_data(selection, place=place) | {"others": compared}
    cell_map(data, run=run, layers=trace.num_layers, place=place, key=f"cell_map_{place}")
    if not selection.draws_weights:
        return attribution_explanation("heat map", from_input=selection.drawn.is_from_input)
    if not selection.stage and st.button(
        "Take this score apart", key=f"heat_map_apart_{place}", icon=":material/call_split:"
    ):
        session.change(view="why here")
        st.rerun()
    return heat_map_explanation(pair=trace.tokens.sentence_b_start is not None, special=selection.special)
