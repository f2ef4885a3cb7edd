"""One cell opened: the numbers above it that it was computed from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from encoder.experiments.anatomy.cells import WORKED
from encoder.experiments.anatomy.steps import Shown, Step, lines
from encoder.experiments.anatomy.worked import Worked
from viz.components.plot_clicks import plot_clicks
from viz.labels import verbatim, visible
from viz.panels.anatomy.walk import Walk
from viz.panels.anatomy.windows import TOKENS, Opened
from viz.panels.common import on_selection
from viz.state import session
from viz.state.messages import answered
from viz.state.selection import Selection

TABLE = 214  # pixels: five terms, the others by scrolling
CLICKS = "walk_clicks"


def opened_in(shown: Shown, selection: Selection) -> Opened:
    """A tensor with the cell of it that is to be worked out: the selected one, or the nearest that there is."""
    rows, columns = shown.array.shape
    return Opened(shown, (min(selection.anatomy.row, rows - 1), min(selection.anatomy.column, columns - 1)))


def open_cell(step: Step, walk: Walk) -> None:
    """Choose a cell of the step's tensor, and see how its number came about."""
    if walk.opened is None:
        return
    row, column = walk.opened.cell
    pick_cell(walk.opened, walk.labels)
    show(WORKED[step.key](walk.record, head=walk.head, row=row, column=column), walk.labels, key=step.key)


def pick_cell(opened: Opened, labels: Sequence[str]) -> None:
    """A heading, and the choice of the cell by row and column.

    Args:
        labels: the tokens, where rows or columns are some.
    """
    shown = opened.shown
    st.markdown(f"##### One number of “{verbatim(shown.name)}”, worked out")
    kinds = {"row": shown.rows, "column": shown.columns}
    for place, (name, kind), count in zip(st.columns(2), kinds.items(), shown.array.shape, strict=True):
        picked = session.bound(name, to_widget=partial(min, count - 1))
        with place:
            if kind in TOKENS:
                _pick_token(name, labels, looked_at=kind == "key", picked=picked)
            else:
                st.number_input(f"{name.title()} ({kind})", 0, count - 1, **picked)


def _pick_token(name: str, labels: Sequence[str], *, looked_at: bool, picked: dict[str, Any]) -> None:
    st.selectbox(
        name.title(),
        range(len(labels)),
        format_func=lambda at: f"{at} · {visible(labels[at])}",
        help="The token that is looked at." if looked_at else "The token that the row belongs to.",
        **picked,
    )


def listen(walk: Walk) -> None:
    """Hear clicks on the pictures that this run has drawn."""
    plot_clicks(walk.charts, answered=answered(CLICKS), key=CLICKS, on_selection=on_selection(CLICKS))


def show(worked: Worked, names: Sequence[str], *, key: str) -> None:
    """A number worked out: the lines, and every term of the sum.

    Args:
        names: of the terms, where they are tokens or classes.
    """
    st.latex(lines(*worked.lines))
    if not worked.terms:
        return
    named = worked.over in (*TOKENS, "class")
    length = len(next(iter(worked.terms.values())))
    index = [f"{at} · {visible(names[at])}" if named else str(at) for at in range(length)]
    table = pd.DataFrame(dict(worked.terms), index=pd.Index(index, name=worked.over))
    st.dataframe(
        table,
        height=min(TABLE, 36 * (length + 1)),
        column_config={name: st.column_config.NumberColumn(format="%.6f") for name in worked.terms},
        key=f"walk_terms_{key}",
    )
    st.caption(f"All {length:,} terms of the sum, one in each row.")
