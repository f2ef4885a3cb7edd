"""Why here? One attention score taken apart, and the largest term put to the test."""

from __future__ import annotations

import streamlit as st

from encoder import Trace
from encoder.errors import ModelError, SelectionError
from encoder.measures.unit_attention import MEAN
from viz.caches import experiment_cache
from viz.caches.memo import VALUES
from viz.panels.common import head_name, shown_units, texts_of
from viz.panels.why_here.cell import choose_cell, token_name
from viz.panels.why_here.proof import show_proof
from viz.panels.why_here.terms import show_table, show_terms
from viz.state.selection import Selection
from viz.wording.explanations import WHY_HERE, Explanation
from viz.wording.labels import escape_markdown
from viz.wording.numbers import written

__all__ = ["why_here"]


def why_here(trace: Trace, selection: Selection, *, place: str) -> Explanation | None:
    """The score of the pinned query and key in the selected head, split into where it came from."""
    if shown_units(trace, selection) is None:
        return None
    if selection.head == MEAN:
        st.info(
            "A score belongs to one head, and the mean over heads is selected: choose a head in the map of all heads."
        )
        return None
    texts = texts_of(trace)
    cell = choose_cell(trace, selection, place)
    try:
        terms = VALUES.get(experiment_cache.split_score, trace, cell)
    except (SelectionError, ModelError) as error:
        st.info(escape_markdown(str(error)))
        return None
    query, key = (escape_markdown(token_name(trace, position)) for position in (cell.query, cell.key))
    st.markdown(
        f"### {head_name(selection)}: {query} looks at {key} with a score of {written(terms.score, '+.2f')}, "
        f"a weight of {terms.weight:.4f}"
    )
    if selection.level == "words":
        st.caption("Scores belong to wordpieces, so this view shows wordpieces where others show words.")
    if selection.special != "show":
        st.caption("Special tokens are hidden; score and weight are the model's own, over all tokens.")
    show_terms(terms, (query, key), place=place, answer=(trace.model_name, texts, cell))
    show_proof(trace, texts, terms, place=place)
    show_table(terms, place=place)
    return WHY_HERE
