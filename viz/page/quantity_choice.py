"""The choice of the quantity that heat map, head view, model view and data show, and its explanation."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from encoder import Trace
from viz.caches import run_cache
from viz.panels.units import why_not_drawn
from viz.state.selection import QUANTITY_VIEWS, Selection
from viz.widgets import choice
from viz.wording.quantities import MEANINGS, REACHES, TITLES, scale_sentence, unit_sentence, words_sentence

HELP = (
    "Attention weights, or what tokens take from each other by the vectors that are added. Each is another definition; "
    "none is right by its name."
)


def choose_quantity(traces: Mapping[str, Trace], selection: Selection) -> None:
    """The choice, with the quantity's formula, source and scale; one sentence in a view that shows weights only."""
    if selection.view not in QUANTITY_VIEWS:
        show_weights_only(selection)
        return
    choice("What is drawn", TITLES, field="method", help=HELP, pills=True)
    if selection.drawn.facts.from_input:
        choice("How far it goes", REACHES, field="reach", labelled=False)
    if any(why_not_drawn(trace, selection) for trace in traces.values()):
        st.caption("The small map shows attention weights.")
        return
    st.caption(" ".join(_sentences(traces, selection)))


def show_weights_only(selection: Selection) -> None:
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
    if not quantity.facts.from_input and not selection.draws_weights:
        sentences.append("This method works within a layer only.")
    sentences.append(unit_sentence(quantity))
    if selection.draws_weights:
        return [*sentences, scale_sentence(quantity, 1)]
    from viz.caches import attribution_cache  # imports torch

    level, special = selection.level, selection.special
    largest = [
        attribution_cache.shown(trace, quantity=quantity, level=level, special=special).largest
        for trace in traces.values()
        if len(run_cache.units(trace, level=level, special=special))
    ]
    sentences.append(scale_sentence(quantity, max(largest, default=1)))
    return [*sentences, words_sentence(quantity)] if level == "words" else sentences
