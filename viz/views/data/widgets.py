"""The selected matrix as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from encoder import Trace
from encoder.measures.unit_attention import (
    MEAN,
    attention_of_head,
    attention_to_sink,
    head_or_mean,
    within_sentences,
)
from encoder.measures.units import Units
from encoder.runs.arrays import FloatArray
from viz.caches import run_cache
from viz.payloads.runs import numbers_of
from viz.state.selection import Selection
from viz.widgets.captions import show_removed_attention
from viz.widgets.heads import selected_head_name
from viz.widgets.tables import csv_button, file_name, label_of_csv
from viz.widgets.units import drawn_units
from viz.wording.labels import numbered
from viz.wording.quantities import SYMBOLS, unit_sentence

if TYPE_CHECKING:
    import pandas as pd

BIASES, SINK = "biases of the model", "sink"


def data(trace: Trace, selection: Selection, *, place: str) -> None:
    """The matrix of the heat map, to read and to download."""
    units = drawn_units(trace, selection)
    if units is None:
        return
    table, removed, about = _table(trace, units, selection)
    title = "Attention weights, " if selection.draws_weights else ""
    st.markdown(f"### {title}{selected_head_name(selection)}")
    four_digits = st.column_config.NumberColumn(format="%.4f")
    st.dataframe(table, column_config=dict.fromkeys(table.columns, four_digits), key=f"data_table_{place}")
    show_removed_attention(removed, selection)
    data_csv(trace, selection, place=place, key="data_csv")
    st.caption(f"A row for each word that looks (query), a column for each that is looked at (key). {about}")


def data_csv(trace: Trace, selection: Selection, *, place: str, key: str = "export_csv") -> None:
    """A button that saves the matrix of the heat map."""
    again = run_cache.same_run(trace, first=selection.first)

    def table() -> pd.DataFrame:
        run = again()
        units = run_cache.units(run, level=selection.level, special=selection.special)
        return _table(run, units, selection)[0]

    head = selected_head_name(selection)
    csv_button(
        table,
        name=file_name(f"attention-{head}" if selection.draws_weights else head, place),
        key=f"{key}_{place}",
        label=label_of_csv(place),
        index=True,
    )


def _table(trace: Trace, units: Units, selection: Selection) -> tuple[pd.DataFrame, FloatArray, str]:
    """The numbers, the mass of hidden tokens, and a sentence on all."""
    import pandas as pd  # the export menu opens without it

    matrix, removed, biases, about = _matrix(trace, units, selection)  # (U, U), (U,), (U,) or None
    matrix = within_sentences(matrix, units, selection.sentences)
    names = numbered(units.labels, numbers_of(trace, units))
    table = pd.DataFrame(matrix, index=pd.Index(names, name="query (from)"), columns=names)
    if biases is not None:
        table[BIASES] = biases
    if selection.draws_weights and trace.layers[selection.layer].sink is not None:
        sink = attention_to_sink(trace, selection.layer, units)  # (H, U)
        table[SINK] = head_or_mean(sink[:, None], selection.head)[0]
    return table, removed, about


def _matrix(trace: Trace, units: Units, selection: Selection) -> tuple[FloatArray, FloatArray, FloatArray | None, str]:
    """The numbers, the mass of hidden tokens, norms of the biases if there are any, and a sentence on all."""
    if selection.draws_weights:
        place = selection.layer, selection.head
        attention, removed = attention_of_head(trace, *place, units, selection.special)  # (U, U), (U,)
        return attention, removed, None, "Weights run from 0 to 1, as in the heat map."
    from viz.caches import attribution_cache  # imports torch

    quantity = selection.drawn
    shown = attribution_cache.shown(trace, quantity=quantity, level=selection.level, special=selection.special)
    plane = selection.head if quantity.facts.has_heads and selection.head != MEAN else -1
    biases = None if shown.biases is None else shown.biases[selection.layer][0]
    about = f"Each number is the {SYMBOLS[quantity.method]}. {unit_sentence(quantity)}"
    return shown.planes[selection.layer][plane], shown.removed[selection.layer][plane], biases, about
