"""An answer on the page: its sentences, charts and tables as elements of Streamlit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import pandas as pd
import streamlit as st

from viz.answers.answer import Answer, Chart, Role, Sentence, Table
from viz.figures.config import plot_config
from viz.panels.common import fit_stage, theme
from viz.panels.download import csv_button, file_name
from viz.panels.first_answer import let_paint

_WRITE: Final[Mapping[Role, Callable[[str], Any]]] = MappingProxyType(
    {
        "text": st.markdown,
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
        place: "pair", "A" or "B": tells two answers of a page apart.
        new: plain values that the answer follows from. Where they changed, its open tables wait until the browser has
            painted what stands above them. None for answers whose tables are ready at once.
    """
    key = f"{view}_{{}}_{place}".format
    waits = new is not None
    for part in answer.parts:
        match part:
            case Sentence(text, role):
                _WRITE[role](text)
            case Chart():
                _show_chart(part, key=key(part.name), headings=bool(part.title) + (place != "pair"))
            case Table():
                if waits and part.on_page == "open":
                    let_paint(new, key=f"{view}_{place}")
                    waits = False
                _show_table(part, place, key=key(f"{part.name}_table"))
    if waits:
        let_paint(new, key=f"{view}_{place}")


def _show_chart(chart: Chart, *, key: str, headings: int) -> None:
    """A chart under its title.

    Args:
        headings: lines of heading that stand above it on the stage.
    """
    if chart.title:
        st.markdown(f"### {chart.title}")
    figure = chart.figure(theme())
    fit_stage(figure, headings=max(headings, 1))
    figure.layout.width = None  # Streamlit would draw it in this width, and again in the column's
    st.plotly_chart(figure, theme=None, config=plot_config(chart.name), key=key)


def _show_table(table: Table, place: str, *, key: str) -> None:
    def frame() -> pd.DataFrame:
        return pd.DataFrame(dict[str, Any](table.columns()))

    if table.on_page == "open":
        st.dataframe(frame(), hide_index=True, key=key)
    else:
        csv_button(frame, name=file_name(table.name, place), key=key)
