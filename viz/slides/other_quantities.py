"""What heat map, head view and model view of a slide draw in place of attention weights."""

from __future__ import annotations

from collections.abc import Mapping

from encoder.errors import ArgumentError, UnsupportedModelError
from encoder.measures.units import units_of
from encoder.runs.trace import Trace
from viz.payloads.attributions import ShownMaps, shown_maps
from viz.slides.models import Models
from viz.state.selection import Selection
from viz.wording.quantities import TITLES


def maps_at(selection: Selection, traces: Mapping[str, Trace], models: Models) -> tuple[Mapping[str, ShownMaps], str]:
    """The chosen method's maps, by place; or none, and why weights are drawn although another method is chosen."""
    drawn, level, special = selection.drawn, selection.level, selection.special
    units = {place: units_of(trace.tokens, level=level, special=special) for place, trace in traces.items()}
    if selection.draws_weights or not all(map(len, units.values())):
        return {}, ""
    try:
        found = {place: models.maps(trace, drawn) for place, trace in traces.items()}
    except (ArgumentError, UnsupportedModelError) as error:
        return {}, f"“{TITLES[drawn.method]}” does not apply here: {error} Here are the attention weights."
    return {place: shown_maps(found[place], units[place], special, quantity=drawn) for place in traces}, ""
