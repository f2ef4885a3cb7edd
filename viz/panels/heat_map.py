"""One head's attention as a heat map."""

from __future__ import annotations

from encoder import Trace
from viz import cache
from viz.components.cell_map import cell_map
from viz.panels.common import Explanation, shown_units, view_data
from viz.state.selection import Selection


def heat_map(trace: Trace, selection: Selection, *, place: str) -> Explanation | None:
    """Queries down, keys across, for the selected layer and head."""
    if shown_units(trace, selection) is None:
        return None
    run = cache.attention_id(trace, level=selection.level, special=selection.special)
    data = view_data(selection, place=place)
    cell_map(data, run=run, layers=trace.num_layers, place=place, key=f"cell_map_{place}")
    pair = trace.tokens.sentence_b_start is not None
    sums = "; over both sentences a row sums to 1." if pair else "; a row sums to 1."
    return Explanation(
        "Each row is a token that looks (query), each column a token that is looked at (key)"
        + ("." if selection.special == "hide" else sums),
        "A large weight does not mean that the token matters for the result: attention is not an explanation.",
    )
