"""One head's attention as a heat map."""

from __future__ import annotations

from encoder import Trace
from encoder.measures.unit_attention import head_or_mean
from viz import cache
from viz.components.cell_map import cell_map
from viz.components.store import store
from viz.panels.common import Explanation, head_name, on_selection, show_removed_attention, shown_units, view_data
from viz.state.selection import Selection


def heat_map(trace: Trace, selection: Selection, *, place: str) -> Explanation | None:
    """Queries down, keys across, for the selected layer and head."""
    if shown_units(trace, selection) is None:
        return None
    message, removed = cache.layer_message(  # (H, U)
        trace, layer=selection.layer, level=selection.level, special=selection.special
    )
    store(message, key=f"store_{place}")
    key = f"cell_map_{place}"
    data = view_data(selection, key=key, place=place)
    cell_map(data, message=message, title=head_name(selection), place=place, key=key, on_selection=on_selection(key))
    show_removed_attention(head_or_mean(removed, selection.head), selection)
    block = selection.sentences != "all" and trace.tokens.sentence_b_start is not None
    sums = "; over both sentences a row sums to 1." if block else "; a row sums to 1."
    return Explanation(
        "Each row is a token that looks (query), each column a token that is looked at (key)"
        + ("." if selection.special == "hide" else sums),
        "A large weight does not mean that the token matters for the result: attention is not an explanation.",
    )
