"""One layer as lines from tokens to tokens: attention, or what another method computes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from encoder import Trace
from viz.components import head_view as lines
from viz.state.selection import Selection
from viz.widgets.canvas import compared_runs, cuts_of, layers_id, view_data
from viz.widgets.units import drawn_units
from viz.wording.explanations import HEAD_VIEW, Explanation, attribution_explanation


def head_view(
    trace: Trace, selection: Selection, *, place: str, others: Mapping[str, Trace] = MappingProxyType({})
) -> Explanation | None:
    """Tokens left and right, a line for every weight of the chosen heads.

    Args:
        others: the traces that this one is compared with, by place; their rows have the same height.
    """
    if drawn_units(trace, selection) is None:
        return None
    run = layers_id(trace, selection)
    data = view_data(selection, place=place) | compared_runs(selection, others) | cuts_of(trace, selection, place=place)
    lines.head_view(data, run=run, layers=trace.num_layers, place=place, key=f"head_view_{place}")
    if not selection.draws_weights:
        return attribution_explanation("head view", from_input=selection.drawn.is_from_input)
    return HEAD_VIEW
