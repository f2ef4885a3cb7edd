"""One cell opened: the numbers above it that it was computed from."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from encoder.anatomy.cells import WORKED, Worked
from encoder.anatomy.steps import Shown, Step, lines
from viz import state
from viz.labels import visible
from viz.panels.anatomy.draw import Cell
from viz.panels.anatomy.walk import Walk

TABLE = 214  # pixels: five terms, the others by scrolling


def opened_cell(shown: Shown | None, walk: Walk) -> Cell | None:
    """The cell of a tensor that is to be worked out: the selected one, or the nearest that there is."""
    if shown is None:
        return None
    rows, columns = shown.array.shape
    cell = (min(walk.selection.row, rows - 1), min(walk.selection.column, columns - 1))
    state.update(row=cell[0], column=cell[1])
    return cell


def open_cell(step: Step, walk: Walk, cell: Cell | None) -> None:
    """Choose a cell of the step's tensor, and see how its number came about."""
    if step.opened is None or cell is None:
        return
    st.markdown(f"##### One number of “{step.opened.name}”, worked out")
    left, right = st.columns(2)
    with left:
        pick_token("Row", "row", walk.labels, help="The token that the row belongs to.")
    with right:
        if step.opened.columns == "key":
            pick_token("Column", "column", walk.labels, help="The token that is looked at.")
        else:
            st.number_input(f"Column ({step.opened.columns})", 0, step.opened.array.shape[1] - 1, key="column")
    show(WORKED[step.key](walk.record, head=walk.head, row=cell[0], column=cell[1]), walk.labels, key=step.key)


def pick_token(label: str, key: str, labels: Sequence[str], *, help: str) -> None:
    """The choice of a token, by position and name."""
    st.selectbox(label, range(len(labels)), format_func=lambda at: f"{at} · {visible(labels[at])}", key=key, help=help)


def show(worked: Worked, labels: Sequence[str], *, key: str) -> None:
    """A number worked out: the lines, and every term of the sum."""
    st.latex(lines(*worked.lines))
    if not worked.terms:
        return
    by_token = worked.over == "key"
    length = len(next(iter(worked.terms.values())))
    index = [f"{at} · {visible(labels[at])}" if by_token else str(at) for at in range(length)]
    table = pd.DataFrame(dict(worked.terms), index=pd.Index(index, name=worked.over))
    st.dataframe(
        table,
        height=min(TABLE, 36 * (length + 1)),
        column_config={name: st.column_config.NumberColumn(format="%.6f") for name in worked.terms},
        key=f"walk_terms_{key}",
    )
    st.caption(f"All {length:,} terms of the sum, one in each row.")
