"""Which tokens' states carry the difference of what the model says of A and of B?"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import streamlit as st

from encoder.attribution.questions import OutputKind
from encoder.comparison.patched_output import output_kinds
from encoder.errors import ArgumentError, SelectionError
from viz.caches import estimate_cache
from viz.caches.run_cache import cached_job, cached_with_model
from viz.figures.labels import plotly_text
from viz.panels.compare.choice import Sides
from viz.panels.compare.silenced_heads import show_silenced_heads
from viz.panels.patched_tokens import show_patched_tokens
from viz.state import session
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown, shorten
from viz.wording.numbers import written

LONGEST_NAME = 60  # characters beside the colour bar
NUMBERS: Mapping[OutputKind, str] = MappingProxyType(
    {"class": "Class", "score": "Score", "similarity": "Similarity of A and B"}
)


def show_carriers(sides: Sides, selection: Selection) -> None:
    """Maps of estimates, which exact values replace, for two texts; else nothing, or why there is none."""
    if sides.texts is None:
        return
    st.markdown("### Which tokens carry the difference?")
    number = _choose_number(sides, selection)
    _show_tokens(sides, sides.texts, number)
    show_silenced_heads(sides, sides.texts, number, selection)


def _choose_number(sides: Sides, selection: Selection) -> OutputKind:
    """Draw the choice where there is one; the first number that there is, where there is no such one as was chosen."""
    kinds = output_kinds(sides.a, sides.b)
    number = selection.compare.number if selection.compare.number in kinds else kinds[0]
    if len(kinds) > 1:
        st.segmented_control(
            "Number of the model",
            kinds,
            format_func=NUMBERS.__getitem__,
            required=True,
            label_visibility="collapsed",
            **session.bound("compared_number", initial="default", to_widget=lambda _: number),
        )
    return number


def _show_tokens(sides: Sides, texts: tuple[str, str], number: OutputKind) -> None:
    name = sides.b.model_name
    try:
        patched = estimate_cache.patched_texts(name, number, *texts)
        in_a, in_b = cached_with_model(estimate_cache.output_values, name, number, *texts)
        estimates = cached_with_model(estimate_cache.output_estimates, name, number, *texts)
    except (ArgumentError, SelectionError) as error:
        st.caption(escape_markdown(str(error)))
        return
    show_patched_tokens(
        sides.a,
        sides.b,
        estimates,
        cached_job(estimate_cache.output_effects, name, number, *texts),
        unit=plotly_text(shorten(patched.name, LONGEST_NAME)),
        what=f"The number is {written(in_a, '+.2f')} in A and {written(in_b, '+.2f')} in B "
        f"({escape_markdown(patched.name)}). A cell says by how much B's changes when one token's state there is the "
        "one that A has at that place. A state that changes it carries something for it; whether the model needs that "
        "state, this does not say.",
        view="compare",
    )
