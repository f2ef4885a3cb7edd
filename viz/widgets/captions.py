"""Captions under a view: how to read it, and what it leaves out; and the list of all terms."""

from __future__ import annotations

import numpy as np
import streamlit as st

from encoder.runs.arrays import FloatArray
from viz.html.terms import markdown_with_terms, opening_button
from viz.state import session
from viz.state.selection import Selection
from viz.wording.explanations import Explanation
from viz.wording.glossary import GLOSSARY, Term
from viz.wording.labels import escape_markdown
from viz.wording.numbers import percent
from viz.wording.quantities import removed_sentence


def show_explanation(explanation: Explanation) -> None:
    """What the view does not show and, on request, how to read it; nothing before an audience: the speaker says so."""
    if not session.current().stage:
        said = markdown_with_terms(explanation.what_it_does_not_show)
        st.caption(f"{said} {opening_button('How to read', explanation.how_to_read)}", unsafe_allow_html=True)


def show_caption(text: str) -> None:
    """Markdown in small type, in which terms open their definitions; HTML in it is escaped."""
    st.caption(markdown_with_terms(text), unsafe_allow_html=True)


def show_glossary() -> None:
    """Every term of the page with its definition and its source."""
    parts = []
    for title, terms in GLOSSARY.items():
        parts += [f"#### {title}", *map(_entry, terms)]
    st.markdown("\n\n".join(parts))


def _entry(term: Term) -> str:
    source = f" *{term.source}*" if term.source else ""
    return f"**{escape_markdown(term.name)}**: {term.definition}{source}"


def show_removed_attention(removed: FloatArray, selection: Selection) -> None:
    """How much attention went to hidden tokens.

    Args:
        removed: (U,) removed mass of every shown query, or (..., U) of several heads.
    """
    if selection.special == "show":
        return
    heads = ", over all heads" if removed.ndim > 1 else ""
    mean, least, most = (percent(float(share)) for share in (np.mean(removed), np.min(removed), np.max(removed)))
    between = f"{mean} of {{}} (between {least} and {most}{heads})"
    st.caption(f"**Special tokens are hidden.** {removed_sentence(selection.drawn, between, selection.special)}")
