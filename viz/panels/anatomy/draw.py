"""Tensors as pictures: squares of queries by keys, bands of everything wide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import plotly.graph_objects as go
import streamlit as st

from encoder.measures.operations import signed_limit
from viz.figures.anatomy import Mark, tensor_band, tensor_square
from viz.figures.config import plot_config
from viz.panels.anatomy.shown import Shown
from viz.panels.anatomy.step import AnatomyPage, StepContent
from viz.panels.anatomy.windows import ranges_in_words, windows
from viz.panels.common import fit_stage, is_at_stop, stop_height, theme
from viz.state import session
from viz.state.selection import Selection

FORMULA = 70  # pixels above the pictures at a stop of a tour
MOST_ROWS = 12  # of a table that shows all at once
TABLE_ROW = 35  # pixels, Streamlit's
Room = tuple[float, float]
ALONE: Room = (780, 420)  # pixels of a square: the figure's width, the height of its cells
BESIDE: Room = (390, 300)


def draw_tensors(content: StepContent, page: AnatomyPage, *, key: str) -> None:
    """All tensors of a step. Those of one row have one scale of colours."""
    for index, row in enumerate(content.tensors):
        signed = [shown.array for shown in row if shown.kind == "signed"]
        limit = signed_limit(*signed) if signed else 1.0
        alone = len(row) == 1
        for place, (column, shown) in enumerate(zip(st.columns(len(row)), row, strict=True)):
            with column:
                draw_tensor(shown, page.labels, limit=limit, alone=alone, page=page, key=f"{key}_{index}_{place}")
    explain_pictures([shown for row in content.tensors for shown in row], page)


def draw_tensor(shown: Shown, labels: Sequence[str], *, limit: float, alone: bool, page: AnatomyPage, key: str) -> None:
    """One tensor, as much of it as a page can show; a click chooses what it shares with the one that is opened.

    Args:
        labels: of all rows, and of the columns where these are tokens.
        limit: where the colours of signed numbers end.
        alone: whether no other picture stands beside it.
        key: letters, digits, "_" and "-".
    """
    marked = page.opened.mark(shown) if page.opened else (None, None)
    figure = _figure(shown, labels, limit=limit, room=ALONE if alone else BESIDE, marked=marked, page=page)
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
    row, column = marked
    axes = {"y": "row"} if row is not None else {}
    if column is not None:
        axes["x"] = "column"
    if axes:
        page.charts[chart] = {"axes": axes}


def _figure(
    shown: Shown, labels: Sequence[str], *, limit: float, room: Room, marked: Mark, page: AnatomyPage
) -> go.Figure:
    """A square of queries by keys, or a band."""
    rows, columns = windows(shown, page.opened)
    part = shown.array[rows.part, columns.part]
    first = (rows.start, columns.start)
    if shown.columns == "key":
        return tensor_square(
            part,
            labels[rows.part],
            labels[columns.part],
            theme=theme(),
            title=shown.name,
            limit=None if shown.kind == "weight" else limit,
            sentence_b_start=page.run.record.tokens.sentence_b_start,
            room=room,
            first=first,
            marked=marked,
        )
    return tensor_band(
        part,
        labels[rows.part],
        theme=theme(),
        title=shown.name,
        limit=limit,
        axis=shown.columns,
        head_width=shown.head_width,
        head=page.run.head,
        first=first,
        marked=marked,
    )


def explain_pictures(drawn: Sequence[Shown], page: AnatomyPage, *, one_scale: bool = True) -> None:
    """How to read some pictures, and what of the tensors is not drawn.

    Args:
        one_scale: whether pictures side by side have the same scale of colours.
    """
    sentences = [ranges_in_words(windows(shown, page.opened) for shown in drawn)]
    if page.opened and drawn:
        sentences.append("Click a cell, and its number is worked out below. Point at one to read it.")
    scale = "pictures side by side have one scale" if one_scale else "each picture has a scale of its own"
    if any(shown.kind == "signed" for shown in drawn):
        sentences.append(
            f"Orange is below zero, blue above; {scale}, and the few numbers beyond it have its last colour."
        )
    if any(shown.columns != "key" for shown in drawn):
        sentences.append("Drag over a band to enlarge it.")
    if any(sentences):
        st.caption(" ".join(filter(None, sentences)))


def _headings(selection: Selection) -> int:
    """Lines of heading above a step's pictures at a stop: which sentence it is, of two that are encoded apart."""
    return len(selection.runs) - 1


def table_height(rows: int) -> int | Literal["content"]:
    """A table as high as its rows, or, of many, as high as a page has room for."""
    selection = session.current()
    if is_at_stop(selection):
        return min(stop_height(selection, headings=_headings(selection), above=FORMULA), TABLE_ROW * (rows + 1) + 2)
    return "content" if rows <= MOST_ROWS else 420
