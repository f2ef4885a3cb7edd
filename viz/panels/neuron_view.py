"""One head from the inside: query, keys, their product, score and weight."""

from __future__ import annotations

import streamlit as st

from encoder import Trace
from encoder.errors import NotCapturedError
from encoder.measures.unit_attention import MEAN
from viz import cache
from viz.components import neuron_view as component
from viz.components.store import store
from viz.panels.common import NEURON_HOW, NEURON_LIMIT, Reading, on_selection, shown_units, tell_removed, view_data
from viz.state.selection import Selection


def neuron_view(trace: Trace, selection: Selection, *, place: str) -> Reading | None:
    """How the selected head comes to the weights of one query token."""
    if selection.head == MEAN:
        st.info("A mean over heads has no queries and keys of its own: choose one head.")
        return None
    if shown_units(trace, selection) is None:
        return None
    layer, head = selection.layer, selection.head
    try:
        message = cache.head_message(trace, layer=layer, head=head)
    except NotCapturedError as error:
        st.info(str(error))
        return None
    key = f"neuron_view_{place}"
    store(message, key=f"store_{key}")
    data = view_data(selection, key=key, place=place)
    component.neuron_view(data, message=message, special=selection.special, key=key, on_selection=on_selection(key))
    if selection.level == "words":
        st.caption("Queries and keys belong to wordpieces, so this view shows wordpieces where others show words.")
    if selection.special != "show":
        _, removed = cache.layer_message(trace, layer=layer, level="wordpieces", special=selection.special)  # (H, U)
        tell_removed(removed[head], selection)
    return Reading(NEURON_HOW, NEURON_LIMIT)
