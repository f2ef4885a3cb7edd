"""What a stop shows of the view."""

from __future__ import annotations

from encoder.errors import SelectionError
from encoder.measures.units import units_of
from encoder.runs.trace import excerpts
from viz.recipes.slide import ONLY_SPECIAL, Shown, StaticSlide, of_each
from viz.views.norms.answer import norms as norms_of


def slide(shown: Shown) -> StaticSlide:
    """The norms of the runs of a stop."""
    level, special = shown.selection.level, shown.selection.special
    traces = excerpts(shown.traces, shown.selection.first)
    units = {place: units_of(trace.tokens, level=level, special=special) for place, trace in traces.items()}
    if not all(map(len, units.values())):
        raise SelectionError(ONLY_SPECIAL)
    return of_each({place: norms_of(trace, units[place], level) for place, trace in traces.items()})
