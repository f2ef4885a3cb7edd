"""The terms of both sides as bars, each head's a way to that head, and all of them as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from encoder.attribution.score_terms import SIDES, Origin, ScoreTerms, Side, SideName
from viz.figures.config import plot_config
from viz.figures.score_terms import term_bars
from viz.panels.common import fit_stage, head_button, theme
from viz.panels.download import csv_button, file_name
from viz.panels.first_answer import let_paint
from viz.panels.tables import folded
from viz.state import session
from viz.wording.numbers import written

SHOWN = 12  # terms with a bar of their own on each side
LINKED_HEADS = 4  # heads with a button on each side


def show_terms(terms: ScoreTerms, tokens: tuple[str, str], *, place: str, answer: object) -> None:
    """Both sides' largest terms beside each other, on one scale; what they sum to follows.

    Args:
        tokens: the query and the key, as Markdown.
        answer: what the terms follow from, as `let_paint` takes it.
    """
    drawn = {side: drawn_terms(terms.side(side)) for side in SIDES}
    values = [value for of_side in drawn.values() for _, value, _ in of_side]
    limits = (min(values), max(values))
    columns = st.columns(2, gap="medium")
    for side, token, column in zip(SIDES, tokens, columns, strict=True):
        with column:
            other = SIDES[1 - SIDES.index(side)]
            st.markdown(f"#### {side.capitalize()} {token} in parts, {other} whole")
            _show_bars(terms, side, drawn[side], limits, place=place)
    let_paint(answer, key=f"why_here_{place}")
    for side, column in zip(SIDES, columns, strict=True):
        with column:
            _show_sum(terms, side, place=place)


def show_table(terms: ScoreTerms, *, place: str) -> None:
    """The numbers of all terms, to read and to download; a row that names a head opens it."""
    cell, key = terms.cell, f"why_here_table_{place}"
    part = folded(f"All {len(terms.query.origins)} terms of each side as a table", key=key)
    if part.open:
        table = _table(terms)
        with part:
            st.dataframe(
                table,
                hide_index=True,
                key=key,
                on_select=lambda: open_chosen(table, st.session_state.get(key)),
                selection_mode="single-row",
            )
            st.caption("A row that is chosen opens its head.")
    name = file_name(f"score-L{cell.layer}-H{cell.head}-{cell.query}-{cell.key}", place)
    csv_button(lambda: _table(terms), name=name, key=f"why_here_csv_{place}")


def open_chosen(table: pd.DataFrame, state: Mapping[str, Any] | None) -> None:
    """Choose the head of the row that is chosen in a table; the state is what Streamlit keeps of that."""
    for row in (state or {}).get("selection", {}).get("rows", []):
        layer, head = table.loc[row, ["layer", "head"]]
        if not pd.isna(head):
            session.change(layer=int(layer), head=int(head))


def _show_bars(
    terms: ScoreTerms,
    side: SideName,
    drawn: Sequence[tuple[str, float, str]],
    limits: tuple[float, float],
    *,
    place: str,
) -> None:
    """The bars of one side, in which a click opens a head."""
    origins = _largest(terms.side(side))
    chart = f"why_here_{side}_terms_{place}"

    def open_clicked() -> None:
        points = (st.session_state.get(chart) or {}).get("selection", {}).get("points", [])
        index = points[0]["point_index"] if points else len(drawn)
        if index < min(SHOWN, len(origins)) and origins[index].kind == "head":
            session.change(layer=origins[index].layer, head=origins[index].head)

    names, values, hover = zip(*drawn, strict=True)
    figure = term_bars(names, values, hover, limits=limits, theme=theme())
    fit_stage(figure, headings=2)
    st.plotly_chart(
        figure,
        theme=None,
        config=plot_config(f"score-terms-{side}"),
        key=chart,
        on_select=open_clicked,
        selection_mode="points",
    )


def _show_sum(terms: ScoreTerms, side: SideName, *, place: str) -> None:
    """What the terms of one side sum to, and buttons for its largest heads."""
    of_side = terms.side(side)
    heads = [(each.layer, each.head) for each in _largest(of_side) if each.layer is not None and each.head is not None]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"Sum: **{written(of_side.values.sum(), '+.2f')}**", width="content")
        for layer, head in heads[:LINKED_HEADS]:
            head_button(layer, head, key=f"why_here_open_{side}_{layer}_{head}_{place}")


def _largest(side: Side) -> list[Origin]:
    return [side.origins[index] for index in side.largest_first]


def drawn_terms(side: Side) -> list[tuple[str, float, str]]:
    """Name, value and hover of the largest terms, and last of the others together."""
    order = side.largest_first
    drawn = [
        (origin_name(side.origins[index]), float(side.values[index]), f"a vector of length {side.norms[index]:.2f}")
        for index in order[:SHOWN]
    ]
    rest = list(order[SHOWN:])
    if rest:
        drawn.append((f"{len(rest)} others", float(side.values[rest].sum()), "their sum; the table names them"))
    return drawn


def origin_name(origin: Origin) -> str:
    """What the page calls a part of the model that wrote into a state: "L3 H7", for example."""
    if origin.kind == "head":
        return f"L{origin.layer} H{origin.head}"
    if origin.kind == "projection bias":
        return "bias of the projection"
    if origin.layer is not None:
        return f"L{origin.layer} {origin.kind}"
    return "embedding biases" if origin.kind == "biases" else f"{origin.kind} embedding"


def _table(terms: ScoreTerms) -> pd.DataFrame:
    """A row for each term of both sides, the largest first."""
    rows = [
        (side, origin_name(of_side.origins[at]), *of_side.origins[at][1:], of_side.values[at], of_side.norms[at])
        for side, of_side in zip(SIDES, (terms.query, terms.key), strict=True)
        for at in of_side.largest_first
    ]
    table = pd.DataFrame(rows, columns=["side", "term", "layer", "head", "adds to the score", "length of its vector"])
    return table.astype({"layer": "Int64", "head": "Int64"})
