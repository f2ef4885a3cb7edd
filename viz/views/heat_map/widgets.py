"""One layer as a heat map: attention, or what another method computes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from encoder import Trace
from viz.components.cell_map import cell_map
from viz.payloads.head_cards import quantiles_id
from viz.state.selection import Selection
from viz.widgets.canvas import compared_runs, cuts_of, layers_id, view_data
from viz.widgets.units import drawn_units
from viz.wording.explanations import Explanation, attribution_explanation, heat_map_explanation


def heat_map(
    trace: Trace, selection: Selection, *, place: str, others: Mapping[str, Trace] = MappingProxyType({})
) -> Explanation | None:
    """Queries down, keys across, for the selected layer and head.

    Args:
        others: the traces that this one is compared with, by place; their cells have the same size and colours.
    """
    if drawn_units(trace, selection) is None:
        return None
    run = layers_id(trace, selection)
    data = view_data(selection, place=place) | compared_runs(selection, others)
    data |= _card_of_a_cell(trace, selection, place)
    cell_map(data, run=run, layers=trace.num_layers, place=place, key=f"cell_map_{place}")
    if not selection.draws_weights:
        return attribution_explanation("heat map", from_input=selection.drawn.is_from_input)
    return heat_map_explanation(pair=trace.tokens.sentence_b_start is not None, special=selection.special)


def _card_of_a_cell(trace: Trace, selection: Selection, place: str) -> dict[str, Any]:
    """What the card of a pinned cell compares its weight with, and the views that it opens."""
    return {
        # The atlas counted weights that are not renormalised.
        "words": [] if selection.special == "renormalise" else list(trace.tokens.word_ids),
        "quantiles": quantiles_id(trace.model_name),
        "opens": ["why here", "anatomy"],
    } | cuts_of(trace, selection, place=place)
