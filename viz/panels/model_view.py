"""Every layer and head of the model as a small picture, large enough to compare."""

from __future__ import annotations

from encoder import Trace
from viz.components.head_map import THUMBNAIL
from viz.panels.common import Reading, all_heads, shown_units, tell_removed
from viz.state.selection import Selection


def model_view(trace: Trace, selection: Selection, *, place: str) -> Reading | None:
    """Layers downward, heads across."""
    units = shown_units(trace, selection)
    if units is None:
        return None
    tell_removed(all_heads(trace, selection, place=place, large=True), selection)
    pooled = f" A cell is the largest of several weights, because {len(units)} tokens do not fit."
    return Reading(
        "Layers downward, heads across; inside each picture, queries and keys as in the heat map. The colour follows "
        f"the square root of the weight, so that small ones show.{pooled if len(units) > THUMBNAIL else ''} Hover "
        "names a head and measures it on this text; a click or the arrow keys choose it for the whole page.",
        "A regular pattern (the previous token, the diagonal) says what a head often does, not what it is for.",
    )
