"""Tensors as pictures: squares of queries by keys, bands of everything wide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from encoder.anatomy.steps import Shown, Step
from encoder.measures.anatomy import signed_limit
from viz.figures.anatomy import tensor_band, tensor_square
from viz.figures.config import plot_config
from viz.panel import theme
from viz.panels.anatomy.walk import Walk

MOST_TOKENS = 40  # rows that the page names in full
MOST_COLUMNS = 384
MOST_ROWS = 12  # of a table that shows all at once
ALONE, BESIDE = (780, 420), (390, 300)  # room of a square
Cell = tuple[int, int]


def tensors(step: Step, walk: Walk, *, opened: Cell | None) -> None:
    """All tensors of a step. Those of one row have one scale of colours."""
    for index, row in enumerate(step.tensors):
        signed = [shown.array for shown in row if shown.kind == "signed"]
        limit = signed_limit(*signed) if signed else 1.0
        for place, (column, shown) in enumerate(zip(st.columns(len(row)), row, strict=True)):
            with column:
                picture(
                    shown,
                    walk.labels,
                    limit=limit,
                    alone=len(row) == 1,
                    walk=walk,
                    marked=opened if shown is step.opened else None,
                    key=f"{step.key}_{index}_{place}",
                )
    tell([shown for row in step.tensors for shown in row])


def picture(
    shown: Shown,
    labels: Sequence[str],
    *,
    limit: float,
    alone: bool,
    walk: Walk,
    key: str,
    marked: Cell | None = None,
) -> None:
    """One tensor, as much of it as a page can show."""
    rows = labels[:MOST_TOKENS]
    if shown.columns == "key":
        start = walk.record.tokens.sentence_b_start
        figure = tensor_square(
            shown.array[:MOST_TOKENS, :MOST_TOKENS],
            rows,
            theme=theme(),
            title=shown.name,
            limit=None if shown.kind == "weight" else limit,
            sentence_b_start=start if start is not None and start < len(rows) else None,
            room=ALONE if alone else BESIDE,
            marked=marked if marked and max(marked) < MOST_TOKENS else None,
        )
    else:
        figure = tensor_band(
            shown.array[:MOST_TOKENS, :MOST_COLUMNS],
            rows,
            theme=theme(),
            title=shown.name,
            limit=limit,
            axis=shown.columns,
            head_width=shown.head_width,
            head=walk.head,
            marked=marked if marked and marked[0] < MOST_TOKENS and marked[1] < MOST_COLUMNS else None,
        )
    with st.container(horizontal_alignment="center"):
        st.plotly_chart(
            figure,
            theme=None,
            width="content" if figure.layout.width else "stretch",
            config=plot_config(shown.name),
            key=f"walk_{key}",
        )


def table_height(rows: int) -> int | Literal["content"]:
    """A table as high as its rows, or, of many, as high as a page has room for."""
    return "content" if rows <= MOST_ROWS else 420


def tell(drawn: Sequence[Shown]) -> None:
    """How to read some pictures, and what of the tensors is not drawn."""
    tokens = max((len(shown.array) for shown in drawn), default=0)
    columns = max((shown.array.shape[1] for shown in drawn), default=0)
    said = []
    if tokens > MOST_TOKENS:
        said.append(f"The first {MOST_TOKENS} of {tokens} tokens are drawn.")
    if columns > max(MOST_COLUMNS, tokens):
        said.append(f"Of wider tensors the first {MOST_COLUMNS} of {columns:,} columns are drawn.")
    if any(shown.kind == "signed" for shown in drawn):
        said.append(
            "Orange is below zero, blue above; pictures side by side have one scale, and the few numbers beyond it "
            "have its last colour. Point at a cell for its number; drag over a band to enlarge it."
        )
    if said:
        st.caption(" ".join(said))
