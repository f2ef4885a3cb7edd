"""Tensors as pictures: squares of queries by keys, bands of everything wide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from encoder.measures.operations import signed_limit
from viz.figures.anatomy import tensor_band, tensor_square
from viz.figures.config import plot_config
from viz.panels.anatomy.shown import Shown
from viz.panels.anatomy.step import AnatomyPage, StepContent
from viz.panels.anatomy.windows import described, windows
from viz.panels.common import theme

MOST_ROWS = 12  # of a table that shows all at once
ALONE, BESIDE = (780, 420), (390, 300)  # room of a square


def tensors(content: StepContent, page: AnatomyPage, *, key: str) -> None:
    """All tensors of a step. Those of one row have one scale of colours."""
    for index, row in enumerate(content.tensors):
        signed = [shown.array for shown in row if shown.kind == "signed"]
        limit = signed_limit(*signed) if signed else 1.0
        for place, (column, shown) in enumerate(zip(st.columns(len(row)), row, strict=True)):
            with column:
                picture(
                    shown,
                    page.labels,
                    limit=limit,
                    alone=len(row) == 1,
                    page=page,
                    key=f"{key}_{index}_{place}",
                )
    tell([shown for row in content.tensors for shown in row], page)


def picture(
    shown: Shown,
    labels: Sequence[str],
    *,
    limit: float,
    alone: bool,
    page: AnatomyPage,
    key: str,
) -> None:
    """One tensor, as much of it as a page can show; a click chooses what it shares with the one that is opened.

    Args:
        labels: of all rows, and of the columns where these are tokens.
        key: letters, digits, "_" and "-".
    """
    opened = page.opened
    rows, columns = windows(shown, opened)
    part = shown.array[rows.part, columns.part]
    marked = opened.mark(shown) if opened else (None, None)
    if shown.columns == "key":
        figure = tensor_square(
            part,
            labels[rows.part],
            labels[columns.part],
            theme=theme(),
            title=shown.name,
            limit=None if shown.kind == "weight" else limit,
            sentence_b_start=page.run.record.tokens.sentence_b_start,
            room=ALONE if alone else BESIDE,
            first=(rows.start, columns.start),
            marked=marked,
        )
    else:
        figure = tensor_band(
            part,
            labels[rows.part],
            theme=theme(),
            title=shown.name,
            limit=limit,
            axis=shown.columns,
            head_width=shown.head_width,
            head=page.run.head,
            first=(rows.start, columns.start),
            marked=marked,
        )
    with st.container(horizontal_alignment="center"):
        st.plotly_chart(
            figure,
            theme=None,
            width="content" if figure.layout.width else "stretch",
            config=plot_config(shown.name),
            key=f"anatomy_{key}",
        )
    row, column = marked
    axes = {"y": "row"} if row is not None else {}
    if column is not None:
        axes["x"] = "column"
    if axes:
        page.charts[f"anatomy_{key}"] = axes


def table_height(rows: int) -> int | Literal["content"]:
    """A table as high as its rows, or, of many, as high as a page has room for."""
    return "content" if rows <= MOST_ROWS else 420


def tell(drawn: Sequence[Shown], page: AnatomyPage, *, one_scale: bool = True) -> None:
    """How to read some pictures, and what of the tensors is not drawn.

    Args:
        one_scale: whether pictures side by side have the same scale of colours.
    """
    said = [described(windows(shown, page.opened) for shown in drawn)]
    if page.opened and drawn:
        said.append("Click a cell, and its number is worked out below. Point at one to read it.")
    scale = "pictures side by side have one scale" if one_scale else "each picture has a scale of its own"
    if any(shown.kind == "signed" for shown in drawn):
        said.append(f"Orange is below zero, blue above; {scale}, and the few numbers beyond it have its last colour.")
    if any(shown.columns != "key" for shown in drawn):
        said.append("Drag over a band to enlarge it.")
    if any(said):
        st.caption(" ".join(filter(None, said)))
