"""The heads of a layer as lines from tokens to tokens."""

from __future__ import annotations

from encoder import Trace
from viz import cache
from viz.components.head_view import head_view as mount
from viz.explanations import HEAD_VIEW, Explanation
from viz.panels.common import shown_units, view_data
from viz.state.selection import Selection


def head_view(trace: Trace, selection: Selection, *, place: str) -> Explanation | None:
    """Tokens left and right, a line for every weight of the chosen heads."""
    if shown_units(trace, selection) is None:
        return None
    run = cache.attention_id(trace, level=selection.level, special=selection.special)
    data = view_data(selection, place=place)
    mount(data, run=run, layers=trace.num_layers, place=place, key=f"head_view_{place}")
    return HEAD_VIEW
