"""The heads of a layer as lines from tokens to tokens."""

from __future__ import annotations

from encoder import Trace
from viz import cache
from viz.components.head_view import head_view as mount
from viz.panels.common import Explanation, shown_units, view_data
from viz.state.selection import Selection


def head_view(trace: Trace, selection: Selection, *, place: str) -> Explanation | None:
    """Tokens left and right, a line for every weight of the chosen heads."""
    if shown_units(trace, selection) is None:
        return None
    run = cache.attention_id(trace, level=selection.level, special=selection.special)
    data = view_data(selection, place=place)
    mount(data, run=run, layers=trace.num_layers, place=place, key=f"head_view_{place}")
    return Explanation(
        "A line runs from the token that looks (query, left) to the one that is looked at (key, right). Choose heads "
        "by their numbers.",
        "Lines of many heads add up to a haze: judge a head alone before you name it. And a large weight does not "
        "mean that the token matters for the result.",
    )
