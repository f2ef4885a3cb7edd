"""The opened cell: the choice of its row and column, and its computation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from viz.answers.anatomy.latex import gathered
from viz.answers.anatomy.step import RecordedRun
from viz.answers.anatomy.tensors import TOKENS, Opened
from viz.answers.anatomy.worked_out import WorkedOut
from viz.components.wires.plot_clicks import plot_clicks
from viz.panels.anatomy.page import AnatomyPage
from viz.state import session
from viz.widgets import select_box
from viz.wording.labels import escape_markdown, make_visible

TABLE = 214  # pixels: five terms, the others by scrolling


def open_cell(work_out: Callable[[RecordedRun, int, int], WorkedOut], page: AnatomyPage, *, key: str) -> None:
    """Choose a cell of the step's tensor, and show its computation."""
    if page.opened is None:
        return
    pick_cell(page.opened, page.labels)
    show_worked_out(work_out(page.run, *page.opened.cell), page.labels, key=key)


def pick_cell(opened: Opened, labels: Sequence[str]) -> None:
    """A heading, and the choice of the cell by row and column.

    Args:
        labels: the tokens, for axes that count tokens.
    """
    shown = opened.shown
    st.markdown(f"#### One number of “{escape_markdown(shown.name)}”, worked out")
    kinds = {"row": shown.rows, "column": shown.columns}
    axes = zip(kinds.items(), shown.array.shape, opened.cell, strict=True)
    for place, ((name, kind), count, chosen) in zip(st.columns(2), axes, strict=True):
        with place:
            if kind in TOKENS:
                _pick_token(name, labels, chosen, looked_at=kind == "key")
            else:
                bound = session.bound(name, to_widget=partial(min, count - 1), initial="value")
                st.number_input(f"{name.title()} ({kind})", 0, count - 1, **bound)


def _pick_token(name: str, labels: Sequence[str], chosen: int, *, looked_at: bool) -> None:
    select_box(
        name.title(),
        {position: f"{position} · {make_visible(label)}" for position, label in enumerate(labels)},
        shown=chosen,
        key=name,
        on_choice=lambda position: session.change(**{name: position}),
        help="The token that is looked at." if looked_at else "The token that the row belongs to.",
    )


def listen_to_clicks(page: AnatomyPage) -> None:
    """Let clicks on the rendered tensors choose a cell."""
    plot_clicks(page.charts, key="anatomy_clicks")


def show_worked_out(worked: WorkedOut, names: Sequence[str], *, key: str) -> None:
    """The computation of a number: formulas, and every term of the sum.

    Args:
        names: of the terms, if they are tokens or classes.
    """
    st.latex(gathered(*worked.lines))
    if not worked.terms:
        return
    named = worked.counted in (*TOKENS, "class")
    length = len(next(iter(worked.terms.values())))
    index = [f"{term} · {make_visible(names[term])}" if named else str(term) for term in range(length)]
    table = pd.DataFrame(dict(worked.terms), index=pd.Index(index, name=worked.counted))
    st.dataframe(
        table,
        height=min(TABLE, 36 * (length + 1)),
        column_config={name: st.column_config.NumberColumn(format="%.6f") for name in worked.terms},
        key=f"anatomy_terms_{key}",
    )
    st.caption(f"All {length:,} terms of the sum, one in each row.")
