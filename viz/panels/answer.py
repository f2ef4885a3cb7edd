"""An answer on the page: its sentences, charts and tables as elements of Streamlit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal

import pandas as pd
import streamlit as st

from viz.answers.answer import Answer, Chart, Part, Role, Row, Sentence, Table
from viz.figures.config import plot_config
from viz.panels.common import fit_stage, head_chart, theme
from viz.panels.download import csv_button, file_name
from viz.panels.first_answer import let_paint
from viz.panels.tables import show_table
from viz.state import session

Width = Literal["stretch", "content"]

_WRITE: Final[Mapping[Role, Callable[[str], Any]]] = MappingProxyType(
    {
        "text": st.markdown,
        "plain": st.text,  # Markdown makes links of addresses even where they are escaped
        "heading": lambda text: st.markdown(f"### {text}"),
        "caption": st.caption,
        "info": st.info,
        "warning": st.warning,
        "error": lambda text: st.error(text, icon=":material/warning:"),
    }
)


def show_answer(answer: Answer, *, view: str, place: str = "pair", new: object = None) -> None:
    """Render an answer where the page is now.

    Args:
        view: begins the keys of its elements.
        place: "pair", "A" or "B": tells two answers of a page apart; "" where there is one.
        new: plain values that the answer follows from. Where they changed, its open tables, and the columns of a row
            after the first, wait until the browser has painted what stands before them. None for answers that are
            ready at once.
    """
    waits = new is not None
    for part in answer.parts:
        match part:
            case Row(columns, "content"):
                with st.container(horizontal=True, vertical_alignment="bottom"):
                    for index, parts in enumerate(columns):
                        if waits and index:
                            let_paint(new, key=f"{view}_{place}")
                            waits = False
                        for each in parts:
                            _show_part(each, view, place, level=4, width="content")
            case Row(columns):
                for column, parts in zip(st.columns(len(columns), gap="medium"), columns, strict=True):
                    with column:
                        for each in parts:
                            _show_part(each, view, place, level=4)
            case _:
                if waits and isinstance(part, Table) and part.on_page != "download":
                    let_paint(new, key=f"{view}_{place}")
                    waits = False
                _show_part(part, view, place, level=3)
    if waits:
        let_paint(new, key=f"{view}_{place}")


def _show_part(part: Part, view: str, place: str, *, level: int, width: Width = "stretch") -> None:
    """Render one part.

    Args:
        level: of its heading; below the first level another heading stands above it.
        width: of a chart: its column's, or its figure's.
    """

    def key(name: str) -> str:
        return "_".join(filter(None, (view, name, place)))

    match part:
        case Sentence(text, role):
            _WRITE[role](text)
        case Chart():
            above = (place in ("A", "B")) + (level > 3)
            _show_chart(part, key=key(part.name), level=level, headings=bool(part.title) + above, width=width)
        case Table():
            _show_table(part, place, key=key(f"{part.name}_table"))


def _show_chart(chart: Chart, *, key: str, level: int, headings: int, width: Width) -> None:
    """A chart under its title.

    Args:
        level: of the title.
        headings: lines of heading that stand above it on the stage.
    """
    if chart.title:
        st.markdown(f"{'#' * level} {chart.title}")
    figure = chart.figure(theme())
    fit_stage(figure, headings=max(headings, 1))
    if chart.chooses_head:
        head_chart(figure, config=plot_config(chart.name), key=key)
        return
    if width == "stretch":
        figure.layout.width = None  # Streamlit would draw it in this width, and again in the column's
    selects: dict[str, Any] = {}
    if chart.heads:
        selects = {"on_select": lambda: choose_head(chart, st.session_state.get(key)), "selection_mode": "points"}
    st.plotly_chart(figure, theme=None, width=width, config=plot_config(chart.name), key=key, **selects)


def choose_head(chart: Chart, state: Mapping[str, Any] | None) -> None:
    """Choose the head of the point that is clicked in a chart; the state is what Streamlit keeps of that."""
    for point in (state or {}).get("selection", {}).get("points", [])[:1]:
        index = point["point_index"]
        if index < len(chart.heads) and (chosen := chart.heads[index]):
            session.change(layer=chosen[0], head=chosen[1])


def _show_table(table: Table, place: str, *, key: str) -> None:
    def frame() -> pd.DataFrame:
        return pd.DataFrame(dict[str, Any](table.columns()))

    if table.on_page == "open":
        st.dataframe(frame(), hide_index=True, key=key)
    elif table.on_page == "folded":
        show_table(frame, title=table.title, name=file_name(table.name, place or "pair"), key=key, note=table.note)
    else:
        csv_button(frame, name=file_name(table.name, place or "pair"), key=key)
