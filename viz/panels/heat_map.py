"""One head's attention as a heat map."""

from __future__ import annotations

import streamlit as st

from encoder import Trace
from encoder.measures.attention import head_or_mean, shown_attention, within_sentences
from viz.figures.axes import EVERY_LABEL
from viz.figures.config import plot_config
from viz.figures.heat_map import COLUMN, attention_heat_map
from viz.panel import beside, head_name, shown_units, tell, tell_removed, theme
from viz.state import Selection

HALF = 396  # width of one of two columns on a screen of 1,440 pixels


def heat_map(trace: Trace, selection: Selection, *, place: str) -> None:
    """Queries down, keys across, for the selected layer and head."""
    units = shown_units(trace, selection)
    if units is None:
        return
    weights = head_or_mean(trace.weights(selection.layer), selection.head)  # (T, T)
    attention, removed = shown_attention(weights, units, selection.special)  # (U, U), (U,)
    attention = within_sentences(attention, units, selection.sentences)
    figure = attention_heat_map(
        attention,
        units.labels,
        theme=theme(),
        title=head_name(selection),
        sentence_b_start=units.sentence_b_start,
        width=HALF if place != "pair" and beside([trace]) else COLUMN,
    )
    name = f"attention-{head_name(selection)}"
    with st.container(horizontal_alignment="center"):
        st.plotly_chart(figure, width="content", theme=None, config=plot_config(name), key=f"heat_map_{place}")
    if len(units) > EVERY_LABEL:
        st.caption(
            f"With {len(units)} tokens there is room for some of the labels only. Hover names every cell; drag over a "
            "part to enlarge it, double-click to go back."
        )
    tell_removed(removed, selection)
    tell(
        "Each row is a token that looks (query), each column a token that is looked at (key)"
        + ("." if selection.special == "hide" else "; a row sums to 1."),
        "A large weight does not mean that the token matters for the result: attention is not an explanation.",
    )
