"""One head's attention as a heat map."""

from __future__ import annotations

from encoder import Trace
from viz import cache
from viz.components.cell_map import cell_map
from viz.explanations import Explanation, heat_map_explanation
from viz.panels.common import shown_units, view_data
from viz.state.selection import Selection


def heat_map(trace: Trace, selection: Selection, *, place: str) -> Explanation | None:
    """Queries down, keys across, for the selected layer and head."""
    if shown_units(trace, selection) is None:
        return None
    run = cache.attention_id(trace, level=selection.level, special=selection.special)
    data = view_data(selection, place=place)
    cell_map(data, run=run, layers=trace.num_layers, place=place, key=f"cell_map_{place}")
    return heat_map_explanation(pair=trace.tokens.sentence_b_start is not None, special=selection.special)
