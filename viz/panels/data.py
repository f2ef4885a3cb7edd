"""The selected attention matrix as a table."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from encoder import Trace
from encoder.measures.unit_attention import head_or_mean, shown_attention, within_sentences
from viz.panels.common import head_name, show_removed_attention, shown_units
from viz.panels.download import csv_button, numbered
from viz.state.selection import Selection


def data(trace: Trace, selection: Selection, *, place: str) -> None:
    """The matrix of the heat map, to read and to download."""
    units = shown_units(trace, selection)
    if units is None:
        return
    weights = head_or_mean(trace.weights(selection.layer), selection.head)  # (T, T)
    attention, removed = shown_attention(weights, units, selection.special)  # (U, U), (U,)
    attention = within_sentences(attention, units, selection.sentences)
    names = numbered(units.labels)
    table = pd.DataFrame(attention, index=pd.Index(names, name="query (from)"), columns=names)
    st.markdown(f"### Attention weights, {head_name(selection)}")
    four_digits = st.column_config.NumberColumn(format="%.4f")
    st.dataframe(table, column_config=dict.fromkeys(names, four_digits), key=f"data_table_{place}")
    show_removed_attention(removed, selection)
    csv_button(lambda: table, name=f"attention-{head_name(selection)}", key=f"data_csv_{place}", index=True)
    st.caption("Rows are queries (from), columns keys (to); weights run from 0 to 1, as in the heat map.")
