"""Which tokens' states carry the difference of what the model says of A and of B?"""

from __future__ import annotations

import streamlit as st

from encoder.errors import ArgumentError, SelectionError
from viz.caches import estimate_cache
from viz.figures.labels import plotly_text
from viz.panels.compare.choice import Sides
from viz.panels.patched_tokens import show_patched_tokens
from viz.wording.labels import escape_markdown, shorten

LONGEST_NAME = 60  # characters beside the colour bar


def show_carriers(sides: Sides) -> None:
    """A map of estimates, which exact values replace, for two texts; else nothing, or why there is none."""
    if sides.texts is None:
        return
    st.markdown("### Which tokens carry the difference?")
    name = sides.b.model_name
    try:
        patched = estimate_cache.patched_texts(name, *sides.texts)
        in_a, in_b = estimate_cache.output_values(name, *sides.texts)
        estimates = estimate_cache.output_estimates(name, *sides.texts)
    except (ArgumentError, SelectionError) as error:
        st.caption(escape_markdown(str(error)))
        return
    number = escape_markdown(patched.name)
    show_patched_tokens(
        sides.a,
        sides.b,
        estimates,
        estimate_cache.output_effects(name, *sides.texts),
        unit=plotly_text(shorten(patched.name, LONGEST_NAME)),
        what=f"The number is {in_a:+.2f} in A and {in_b:+.2f} in B ({number}). A cell says by how much B's changes "
        "when one token's state there is the one that A has at that place. A state that changes it carries something "
        "for it; whether the model needs that state, this does not say.",
        view="compare",
    )
