"""The selected matrix as a table."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from encoder import Trace
from encoder.measures.unit_attention import MEAN, head_or_mean, shown_attention, within_sentences
from encoder.measures.units import Units
from encoder.runs.arrays import FloatArray
from viz.panels.captions import show_removed_attention
from viz.panels.heads import selected_head_name
from viz.panels.tables import csv_button
from viz.panels.units import drawn_units
from viz.state.selection import Selection
from viz.wording.labels import numbered
from viz.wording.quantities import SYMBOLS, unit_sentence

BIASES = "biases of the model"


def data(trace: Trace, selection: Selection, *, place: str) -> None:
    """The matrix of the heat map, to read and to download."""
    units = drawn_units(trace, selection)
    if units is None:
        return
    matrix, removed, biases, about = _matrix(trace, units, selection)  # (U, U), (U,), (U,) or None
    matrix = within_sentences(matrix, units, selection.sentences)
    names = numbered(units.labels)
    table = pd.DataFrame(matrix, index=pd.Index(names, name="query (from)"), columns=names)
    if biases is not None:
        table[BIASES] = biases
    title = "Attention weights, " if selection.draws_weights else ""
    head = selected_head_name(selection)
    st.markdown(f"### {title}{head}")
    four_digits = st.column_config.NumberColumn(format="%.4f")
    st.dataframe(table, column_config=dict.fromkeys(table.columns, four_digits), key=f"data_table_{place}")
    show_removed_attention(removed, selection)
    name = f"attention-{head}" if selection.draws_weights else head.replace(",", "")
    csv_button(lambda: table, name=name, key=f"data_csv_{place}", index=True)
    st.caption(f"Rows are queries (from), columns are keys (to). {about}")


def _matrix(trace: Trace, units: Units, selection: Selection) -> tuple[FloatArray, FloatArray, FloatArray | None, str]:
    """The numbers, the mass of hidden tokens, norms of the biases if there are any, and a sentence on all."""
    if selection.draws_weights:
        weights = head_or_mean(trace.weights(selection.layer), selection.head)  # (T, T)
        attention, removed = shown_attention(weights, units, selection.special)
        return attention, removed, None, "Weights run from 0 to 1, as in the heat map."
    from viz.caches import attribution_cache  # imports torch

    quantity = selection.drawn
    shown = attribution_cache.shown(trace, quantity=quantity, level=selection.level, special=selection.special)
    plane = selection.head if quantity.facts.has_heads and selection.head != MEAN else -1
    biases = None if shown.biases is None else shown.biases[selection.layer][0]
    about = f"Each number is the {SYMBOLS[quantity.method]}. {unit_sentence(quantity)}"
    return shown.planes[selection.layer][plane], shown.removed[selection.layer][plane], biases, about
