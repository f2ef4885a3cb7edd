"""The heads of a layer as lines from tokens to tokens."""

from __future__ import annotations

from encoder import Trace
from viz.components.head_view import head_view as mount
from viz.panels.canvas import layers_id, view_data
from viz.panels.units import drawn_units
from viz.state.selection import Selection
from viz.wording.explanations import HEAD_VIEW, Explanation, attribution_explanation


def head_view(trace: Trace, selection: Selection, *, place: str) -> Explanation | None:
    """Tokens left and right, a line for every weight of the chosen heads."""
    if drawn_units(trace, selection) is None:
        return None
    run = layers_id(trace, selection)
    data = view_data(selection, place=place)
    mount(data, run=run, layers=trace.num_layers, place=place, key=f"head_view_{place}")
    if not selection.draws_weights:
        return attribution_explanation("head view", from_input=selection.drawn.is_from_input)
    return HEAD_VIEW
