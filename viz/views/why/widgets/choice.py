"""Widgets that choose the method of an explanation, and how words are removed."""

from __future__ import annotations

import streamlit as st

from encoder.attribution.removals import PERMUTATIONS
from viz.answers.question import METHODS, REMOVALS
from viz.state import session
from viz.widgets import choice


def choose_method() -> None:
    """Draw the widgets."""
    methods = list(METHODS)
    st.selectbox(
        "Method",
        methods,
        format_func=METHODS.__getitem__,
        width=215,
        help="Integrated gradients (Sundararajan et al. 2017) and DecompX (Modarressi et al. 2023) split the answer by "
        "what each word's vector adds. Leave one out removes one word at a time. Shapley removes words in "
        f"{PERMUTATIONS} random orders, which takes longer. (Our DecompX gives each layer's biases to the words by "
        "the shares of ALTI, Ferrando et al. 2022; the paper uses dot products.)",
        **session.bound("why_method", options=methods),
    )
    choice(
        "Remove words by",
        REMOVALS,
        field="why_removal",
        help="[MASK] keeps every other word in its place; deletion closes the gap. The test uses the chosen way, and "
        "so do leave one out and Shapley.",
    )
