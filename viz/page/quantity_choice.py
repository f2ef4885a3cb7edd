"""The choice of the quantity that heat map, head view, model view and data show, and its explanation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from encoder import Trace
from encoder.attribution.methods.facts import MethodName
from viz.caches import run_cache
from viz.state import session
from viz.state.selection import QUANTITY_VIEWS, Selection
from viz.widgets import choice
from viz.widgets.units import why_not_drawn
from viz.wording.quantities import MEANINGS, REACHES, TITLES, scale_sentence, unit_sentence, words_sentence

GROUPS = {"weights": "Attention weights", "more": "More, for researchers"}
RESEARCHERS: Sequence[MethodName] = [method for method in TITLES if method != "weights"]
HELP = (
    "What heat map, head view and model view show: attention weights or, for researchers, how much of a token's vector "
    "comes from each other token. These are different definitions; none of them is the right one."
)


def choose_quantity(selection: Selection) -> None:
    """The choice of the quantity, what it means, and how far back it goes."""
    method = selection.quantity.method

    def method_of(group: str) -> MethodName:
        if group == "weights":
            return "weights"
        return RESEARCHERS[0] if method == "weights" else method

    choice(
        "Measure",
        GROUPS,
        field="method",
        help=HELP,
        key="method_group",
        to_widget=lambda method: "weights" if method == "weights" else "more",
        from_widget=method_of,
    )
    if method != "weights":
        st.selectbox(
            "Measure for researchers",
            RESEARCHERS,
            format_func=TITLES.__getitem__,
            label_visibility="collapsed",
            **session.bound("method", options=RESEARCHERS),
        )
    st.caption(MEANINGS[method])
    if selection.quantity.facts.from_input:
        choice("How far it goes", REACHES, field="reach", labelled=False)


def explain_quantity(traces: Mapping[str, Trace], selection: Selection) -> None:
    """The formula, source and scale of a quantity other than the weights; or that the view shows weights only."""
    if selection.view not in QUANTITY_VIEWS:
        _show_weights_only(selection)
    elif any(why_not_drawn(trace, selection) for trace in traces.values()):
        st.caption("The small map shows attention weights.")
    elif not selection.draws_weights:
        st.caption(" ".join(_sentences(traces, selection)))


def _show_weights_only(selection: Selection) -> None:
    """Say that a view shows attention weights although another method is chosen; nothing if none is."""
    method = selection.quantity.method
    if method != "weights":
        st.caption(f"{TITLES[method]} is chosen for the views that can draw it. This one shows attention weights.")


def _sentences(traces: Mapping[str, Trace], selection: Selection) -> list[str]:
    quantity = selection.drawn
    sentences = [f"**{quantity.formula}** ({quantity.facts.source}).", MEANINGS[quantity.method]]
    if not quantity.facts.has_heads:
        sentences.append(
            "There is one picture for each layer: this method does not tell heads apart. The choice of a head counts "
            "for weights only."
        )
    if not quantity.facts.from_input:
        sentences.append("This method works within a layer only.")
    sentences.append(unit_sentence(quantity))
    from viz.caches import attribution_cache  # imports torch

    level, special = selection.level, selection.special
    largest = [
        attribution_cache.shown(trace, quantity=quantity, level=level, special=special).largest
        for trace in traces.values()
        if len(run_cache.units(trace, level=level, special=special))
    ]
    sentences.append(scale_sentence(quantity, max(largest, default=1)))
    return [*sentences, words_sentence(quantity)] if level == "words" else sentences
