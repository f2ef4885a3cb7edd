"""The difference of the selected layer as lines: two head views, of where either run attends more."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from encoder.comparison.alignment import Alignment
from encoder.comparison.compare import Comparison
from encoder.measures.units import Units
from encoder.runs.arrays import FloatArray
from viz.caches import message_cache
from viz.caches.memo import key_of_run
from viz.components.head_view import head_view
from viz.components.store import store
from viz.panels.common import SIDE_BY_SIDE_TOKENS, view_data
from viz.panels.compare.choice import Sides
from viz.payloads.differences import more_attention_message
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown

MOST_WORDS = 128  # of which a layer's two messages take 0.9 MB


def show_lines(found: Comparison, sides: Sides, of_layer: FloatArray, selection: Selection) -> None:
    """Both head views, beside each other where the texts are short.

    Args:
        of_layer: (H, P, P) the second run's attention minus the first's.
    """
    alignment, layer = found.runs.alignment, selection.layer
    if len(alignment.shared) > MOST_WORDS:
        st.caption(f"Lines are drawn for up to {MOST_WORDS} shared words; here are {len(alignment.shared)}.")
        return
    st.markdown("#### The same as lines")
    columns = st.columns(2, gap="small") if len(alignment.shared) <= SIDE_BY_SIDE_TOKENS else [st.container()] * 2
    for side, column in enumerate(columns):
        name = f"More in {sides.names[side]}"
        message = more_attention_message(
            of_layer if side else -of_layer,
            shared_units(alignment, side if sides.places[0] != sides.places[1] else 0),
            run=message_cache.run_id(sides.a, f"{name} {layer} {selection.special} {key_of_run(sides.b)}"),
            layer=layer,
            name=name,
        )
        with column:
            store(message, key=f"store_compare_{side}")
            place = sides.places[side]
            data = view_data(selection, place=place)
            head_view(
                data, run=message.id, layers=sides.a.num_layers, place=f"compare {side}", key=f"compare_lines_{side}"
            )
    first, second = (f"“{escape_markdown(name)}”" for name in sides.names)
    st.caption(
        f"A line runs from a query (left) to a key (right) that it looks at more in {first}, or more in {second}; Δ is "
        "by how much. In both pictures the strongest line stands for the largest Δ of any head in this layer. Heads "
        "are chosen above either picture. Words of one text alone have no lines."
    )


def shared_units(alignment: Alignment, side: int) -> Units:
    """The shared units with their positions in the first run (0) or in the second (1)."""
    units = (alignment.a, alignment.b)[side]
    places = [pair[side] for pair in alignment.shared]
    start = units.sentence_b_start
    in_b = [index for index, place in enumerate(places) if start is not None and place >= start]
    return replace(
        units,
        labels=tuple(units.labels[place] for place in places),
        members=tuple(units.members[place] for place in places),
        special=tuple(units.special[place] for place in places),
        sentence_b_start=in_b[0] if in_b else None,
    )
