"""Why here? The choice of a query and a key, and what their score is split into."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd
import streamlit as st

from encoder import Trace
from encoder.attribution.score_terms import SIDES, Cell, ScoreTerms
from encoder.measures.unit_attention import MEAN
from encoder.measures.units import units_of
from viz.answers.answer import Table
from viz.state import session
from viz.state.selection import Selection, texts_in
from viz.views.why_here.answer import EXPLANATION, OF_ONE_HEAD, all_terms, cell_of, largest_origins, token_name
from viz.views.why_here.steps import why_here as score_and_test
from viz.widgets import select_box
from viz.widgets.heads import head_button
from viz.widgets.recipe import show_or_explain
from viz.widgets.room import is_at_stop, room_of
from viz.widgets.tables import csv_button, file_name, folded
from viz.widgets.units import shown_units
from viz.wording.explanations import Explanation

LINKED_HEADS: Final = 4  # heads with a button on each side


def why_here(trace: Trace, selection: Selection, *, place: str) -> Explanation | None:
    """The score of the pinned query and key in the selected head; that of the other sentence is folded away."""
    if is_at_stop(selection) or selection.place.pins.run in texts_in(place):
        return _explain_score(trace, selection, place)
    part = folded("The strongest pair of this sentence", key=f"why_here_{place}")
    if not part.open:
        return None
    with part:
        return _explain_score(trace, selection, place)


def _explain_score(trace: Trace, selection: Selection, place: str) -> Explanation | None:
    """The score of the cell, split into where it came from, and the proof."""
    if shown_units(trace, selection) is None:
        return None
    if selection.head == MEAN:
        st.info(OF_ONE_HEAD)
        return None
    cell = _choose_cell(trace, selection, place)
    recipe = score_and_test(trace, cell, selection, room_of(selection))
    widgets = {"heads": lambda terms: _link_heads(terms, place)}
    terms = show_or_explain(recipe, trace.model_name, view="why_here", place=place, widgets=widgets)
    if terms is None or is_at_stop(selection):
        return None
    _show_table(all_terms(terms), place)
    return EXPLANATION


def _choose_cell(trace: Trace, selection: Selection, place: str) -> Cell:
    """Two choices of a token, query and key; returns the cell that they show."""
    shown = [members[0] for members in units_of(trace.tokens, special=selection.special).members]
    cell = cell_of(trace, selection, shown, place)
    names = {position: token_name(trace, position) for position in shown}

    def pin(query: int, key: int) -> None:
        session.change(query=query, key=key, pinned_in=texts_in(place)[0])

    with st.container(horizontal=True, vertical_alignment="bottom"):
        query_box, key_box = (f"why_here_{side}_{place}" for side in SIDES)
        on_query, on_key = (lambda query: pin(query, cell.key)), (lambda key: pin(cell.query, key))
        select_box("Query (from)", names, shown=cell.query, key=query_box, on_choice=on_query, width=240)
        select_box("Key (to)", names, shown=cell.key, key=key_box, on_choice=on_key, width=240)
    return cell


def _link_heads(terms: ScoreTerms, place: str) -> None:
    for side, column in zip(SIDES, st.columns(2, gap="medium"), strict=True):
        origins = [origin for origin in largest_origins(terms.side(side)) if origin.kind == "head"]
        with column, st.container(horizontal=True):
            for _, layer, head in origins[:LINKED_HEADS]:
                if layer is not None and head is not None:
                    head_button(layer, head, key=f"why_here_open_{side}_{layer}_{head}_{place}")


def _show_table(table: Table, place: str) -> None:
    """The numbers of all terms, to read and to download; a row that names a head opens it."""
    key = f"why_here_table_{place}"
    part = folded(table.title, key=key)
    if part.open:
        rows = _frame(table)
        with part:
            st.dataframe(
                rows,
                hide_index=True,
                key=key,
                on_select=lambda: open_chosen(rows, st.session_state.get(key)),
                selection_mode="single-row",
            )
            st.caption("Select a row to choose its head.")
            csv_button(lambda: rows, name=file_name(table.name, place), key=f"why_here_csv_{place}")


def _frame(table: Table) -> pd.DataFrame:
    return pd.DataFrame(dict[str, Any](table.columns())).astype({"layer": "Int64", "head": "Int64"})


def open_chosen(rows: pd.DataFrame, state: Mapping[str, Any] | None) -> None:
    """Select the head of the selected row of a table.

    Args:
        state: Streamlit's state of the table, with the selected rows.
    """
    for row in (state or {}).get("selection", {}).get("rows", []):
        layer, head = rows.loc[row, ["layer", "head"]]
        if not pd.isna(head):
            session.change(layer=int(layer), head=int(head))
