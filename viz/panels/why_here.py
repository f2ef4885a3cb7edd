"""Why here? The choice of a query and a key, and what their score is split into."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd
import streamlit as st

from encoder import Trace
from encoder.attribution.score_removals import CONTROLS
from encoder.attribution.score_terms import SIDES, Cell, ScoreTerms
from encoder.errors import ModelError, SelectionError
from encoder.measures.unit_attention import MEAN
from encoder.measures.units import units_of
from viz.answers.answer import Answer, Table
from viz.answers.why_here import OF_ONE_HEAD, PROOF, all_terms, cell_of, largest_origins, proof, score, token_name
from viz.caches import experiment_cache
from viz.caches.memo import VALUES
from viz.panels.answer import show_answer
from viz.panels.heads import head_button
from viz.panels.room import is_at_stop
from viz.panels.tables import csv_button, file_name, folded
from viz.panels.units import shown_units
from viz.state import session
from viz.state.selection import Selection, texts_in
from viz.widgets import select_box
from viz.wording.explanations import WHY_HERE, Explanation
from viz.wording.labels import escape_markdown

LINKED_HEADS: Final = 4  # heads with a button on each side
MAX_TOKENS_UNASKED: Final = 4_000  # tokens that are run without asking: about two seconds of BERT-base on two cores
ASKED: Final = "why_here_asked"  # in the session


def why_here(trace: Trace, selection: Selection, *, place: str) -> Explanation | None:
    """The score of the pinned query and key in the selected head, split into where it came from."""
    if shown_units(trace, selection) is None:
        return None
    if selection.head == MEAN:
        st.info(OF_ONE_HEAD)
        return None
    cell = _choose_cell(trace, selection, place)
    try:
        terms = VALUES.get(experiment_cache.split_score, trace, cell)
    except (SelectionError, ModelError) as error:
        st.info(escape_markdown(str(error)))
        return None
    new = (trace.model_name, trace.tokens.sentences, cell)
    show_answer(score(trace, terms, selection), view="why_here", place=place, new=new)
    if is_at_stop(selection):  # no claim is about the rest
        return None
    _link_heads(terms, place)
    _show_proof(trace, terms, new, place)
    _show_table(all_terms(terms), place)
    return WHY_HERE


def _choose_cell(trace: Trace, selection: Selection, place: str) -> Cell:
    """Two choices of a token, query and key; returns the cell that they show."""
    shown = [members[0] for members in units_of(trace.tokens, special=selection.special).members]
    cell, found = cell_of(trace, selection, shown, place)
    names = {position: token_name(trace, position) for position in shown}

    def pin(query: int, key: int) -> None:
        session.change(query=query, key=key, pinned_in=texts_in(place)[0])

    with st.container(horizontal=True, vertical_alignment="bottom"):
        query_box, key_box = (f"why_here_{side}_{place}" for side in SIDES)
        on_query, on_key = (lambda query: pin(query, cell.key)), (lambda key: pin(cell.query, key))
        select_box("Query (from)", names, shown=cell.query, key=query_box, on_choice=on_query, width=240)
        select_box("Key (to)", names, shown=cell.key, key=key_box, on_choice=on_key, width=240)
    if found:
        st.caption(f"{found} Choose another above, or click a cell in the heat map.")
    return cell


def _link_heads(terms: ScoreTerms, place: str) -> None:
    for side, column in zip(SIDES, st.columns(2, gap="medium"), strict=True):
        origins = [origin for origin in largest_origins(terms.side(side)) if origin.kind == "head"]
        with column, st.container(horizontal=True):
            for _, layer, head in origins[:LINKED_HEADS]:
                if layer is not None and head is not None:
                    head_button(layer, head, key=f"why_here_open_{side}_{layer}_{head}_{place}")


def _show_proof(trace: Trace, terms: ScoreTerms, what: object, place: str) -> None:
    """The weight without its largest terms; a long text is run again only after a click on the same `what`."""
    runs = len(SIDES) * (1 + CONTROLS)
    asked = st.session_state.setdefault(ASKED, set())
    show_answer(Answer((PROOF,)), view="why_here", place=place)
    if runs * len(trace.tokens) > MAX_TOKENS_UNASKED and what not in asked:
        st.button(
            f"Remove it and run again (up to {runs} runs)",
            key=f"why_here_prove_{place}",
            on_click=asked.add,
            args=[what],
        )
        return
    try:
        tests = VALUES.get(experiment_cache.removals, trace, terms.cell)
    except (SelectionError, ModelError) as error:
        st.info(escape_markdown(str(error)))
        return
    show_answer(proof(trace, terms, tests), view="why_here", place=place)


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
    csv_button(lambda: _frame(table), name=file_name(table.name, place), key=f"why_here_csv_{place}")


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
