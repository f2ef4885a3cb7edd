"""The view Texts: what a model says of every row of a table, and where it is wrong."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from encoder.collection.results import Results
from encoder.collection.table import Collection
from viz.panels.rows import follow_rows, offer_row
from viz.state.selection import Selection
from viz.wording.explanations import Explanation

CHOSEN = "texts_table"


def texts(model_name: str, collection: Collection, selection: Selection) -> Explanation | None:
    """The table, and the row that is chosen in it."""
    results = follow_rows(model_name, collection, lambda found: _show_table(collection, found), key="texts")
    if results is None:
        return None
    chosen = _show_table(collection, results, selects=True)
    if chosen is not None:
        offer_row(collection, chosen, key="texts")
    return None


def _show_table(collection: Collection, results: Results, *, selects: bool = False) -> int | None:
    """The rows with their predictions. Returns the chosen row."""
    rows = range(len(results))
    own = {name: collection.column(name, rows) for name in collection.columns}
    columns = {collection.text: own.pop(collection.text), **own, **results.columns()}
    frame = pd.DataFrame(columns)
    if not selects:
        st.dataframe(frame, hide_index=True, key="texts_growing")
        return None
    state = st.dataframe(frame, hide_index=True, key=CHOSEN, on_select="rerun", selection_mode="single-row")
    return next(iter(state.selection.rows), None)
