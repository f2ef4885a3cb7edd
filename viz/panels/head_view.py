"""The heads of a layer as lines from tokens to tokens."""

from __future__ import annotations

from encoder import Trace
from encoder.measures.unit_attention import MEAN
from encoder.trace import FloatArray
from viz import cache
from viz.components.head_view import head_view as mount
from viz.components.store import store
from viz.panels.common import Explanation, on_selection, show_removed_attention, shown_units, view_data
from viz.state.selection import Selection


def head_view(trace: Trace, selection: Selection, *, place: str) -> Explanation | None:
    """Tokens left and right, a line for every weight of the chosen heads."""
    if shown_units(trace, selection) is None:
        return None
    message, removed = cache.layer_message(
        trace, layer=selection.layer, level=selection.level, special=selection.special
    )
    store(message, key=f"store_{place}")
    key = f"head_view_{place}"
    data = view_data(selection, key=key, place=place) | {"id": message.id, "place": place}
    mount(data, key=key, on_selection_change=on_selection(key))
    show_removed_attention(_removed_by(selection.shown_place.shown_heads(trace.num_heads), removed), selection)
    return Explanation(
        "A line runs from the token that looks (query, left) to the one that is looked at (key, right). Choose heads "
        "by their numbers.",
        "Lines of many heads add up to a haze: judge a head alone before you name it. And a large weight does not "
        "mean that the token matters for the result.",
    )


def _removed_by(heads: tuple[int, ...], removed: FloatArray) -> FloatArray:
    """What (H, U) says of the heads that are drawn: (U,) of one head or of the mean, else (H, U)."""
    if heads == (MEAN,):
        return removed.mean(axis=0)
    return removed[heads[0]] if len(heads) == 1 else removed
