"""Tensors on the page: squares of queries by keys, bands for wide tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import streamlit as st

from viz.answers.anatomy.tensors import Shown, how_to_read, limit_of, tensor_chart
from viz.figures.config import plot_config
from viz.panels.anatomy.page import AnatomyPage
from viz.panels.canvas import theme
from viz.panels.room import fit_stage, is_at_stop, stop_height
from viz.state import session
from viz.state.selection import Selection

FORMULA = 70  # pixels above the pictures at a stop of a tour
MOST_ROWS = 12  # of a table that shows all at once
TABLE_ROW = 35  # pixels, Streamlit's


def draw_tensors(
    rows: Sequence[Sequence[Shown]], labels: Sequence[str], page: AnatomyPage, *, key: str, one_scale: bool = True
) -> None:
    """Tensors in rows, and how to read them: which ranges are omitted, and what a click does.

    Args:
        labels, key: as `draw_tensor` has them.
        one_scale: whether the tensors of a row share one scale of colours.
    """
    for index, row in enumerate(rows):
        alone = len(row) == 1
        for place, (column, shown) in enumerate(zip(st.columns(len(row)), row, strict=True)):
            limit = limit_of(row if one_scale else [shown])
            with column:
                draw_tensor(shown, labels, limit=limit, alone=alone, page=page, key=f"{key}_{index}_{place}")
    tensors = [shown for row in rows for shown in row]
    clickable = bool(page.opened and tensors)
    if said := how_to_read(tensors, page.opened, one_scale=one_scale, clickable=clickable):
        st.caption(said)


def draw_tensor(shown: Shown, labels: Sequence[str], *, limit: float, alone: bool, page: AnatomyPage, key: str) -> None:
    """One tensor, cropped to the page; a click selects the axes that it shares with the opened tensor.

    Args:
        labels: of all rows, and of the columns where these are tokens.
        limit: end of the colour scale of signed numbers.
        alone: whether it is the only one in its row.
        key: letters, digits, "_" and "-".
    """
    drawn = replace(page.drawn, labels=labels)
    figure = tensor_chart(shown, drawn, limit=limit, alone=alone).figure(theme())
    chart = f"anatomy_{key}"
    fit_stage(figure, headings=_headings(page.selection), above=FORMULA)
    with st.container(horizontal_alignment="center"):
        st.plotly_chart(
            figure,
            theme=None,
            width="content" if figure.layout.width else "stretch",
            config=plot_config(shown.name),
            key=chart,
        )
    row, column = page.opened.mark(shown) if page.opened else (None, None)
    axes = {"y": "row"} if row is not None else {}
    if column is not None:
        axes["x"] = "column"
    if axes:
        page.charts[chart] = {"axes": axes}


def _headings(selection: Selection) -> int:
    """Lines of heading above a step's tensors at a stop: the sentence, if two are encoded separately."""
    return len(selection.runs) - 1


def table_height(rows: int) -> int | Literal["content"]:
    """Height of a table: that of its rows, limited by the room on the page."""
    selection = session.current()
    if is_at_stop(selection):
        return min(stop_height(selection, headings=_headings(selection), above=FORMULA), TABLE_ROW * (rows + 1) + 2)
    return "content" if rows <= MOST_ROWS else 420
