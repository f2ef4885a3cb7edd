"""The units that a view of one trace shows, and whether the chosen method applies to it."""

from __future__ import annotations

import streamlit as st

from encoder import Trace
from encoder.errors import ArgumentError, UnsupportedModelError
from encoder.measures.units import Units
from encoder.text.tokens import USUAL_TOKENS
from viz.caches import run_cache
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown
from viz.wording.quantities import TITLES


def shown_units(trace: Trace, selection: Selection) -> Units | None:
    """Words or wordpieces of a trace; None, with a message on the page, if every token is hidden."""
    units = run_cache.units(trace, level=selection.level, special=selection.special)
    if len(units):
        return units
    st.info("This text has special tokens only, and they are hidden. Show them, or type a word.")
    return None


def drawn_units(trace: Trace, selection: Selection) -> Units | None:
    """The units to show of the chosen method; None, with a message on the page, if there is nothing to show."""
    units = shown_units(trace, selection)
    if units is None or selection.draws_weights:
        return units
    with st.spinner(f"Working out: {TITLES[selection.drawn.method]} …"):
        why = why_not_drawn(trace, selection)
    if not why:
        return units
    st.info(escape_markdown(why))
    return None


def why_not_drawn(trace: Trace, selection: Selection) -> str:
    """Why the chosen method does not apply to a trace, in one sentence; "" if it applies.

    If it applies, its numbers are cached.
    """
    if selection.draws_weights:
        return ""
    if trace.whole is not None:
        return (
            f"“{TITLES[selection.drawn.method]}” is for texts of up to {USUAL_TOKENS} tokens: choose attention weights."
        )
    from viz.caches import attribution_cache  # imports torch

    try:
        attribution_cache.maps(trace, quantity=selection.drawn)
    except (ArgumentError, UnsupportedModelError) as error:
        return f"“{TITLES[selection.drawn.method]}” does not apply here: {error}"
    return ""


def is_drawn(trace: Trace, selection: Selection) -> bool:
    """Whether there is a token to show, and the chosen method applies."""
    units = run_cache.units(trace, level=selection.level, special=selection.special)
    return len(units) > 0 and not why_not_drawn(trace, selection)


def can_be_cut(trace: Trace) -> bool:
    """Whether links of a run can be cut: not in an excerpt, nor in a model that returns its weights alone."""
    return trace.whole is None and trace.layers[0].query is not None
