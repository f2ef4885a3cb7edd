"""The layout of the lens's pictures: a heading, the figure, its explanation, and its numbers as CSV."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.explanations import Explanation
from viz.figures.config import plot_config
from viz.labels import escape_markdown
from viz.panels.common import show_explanation
from viz.panels.download import csv_button
from viz.state import session
from viz.state.messages import read_change


def heading(number: int, title: str) -> DeltaGenerator:
    """The title of one of the six pictures; returns the rest of its line, for `show_explanation_and_csv`."""
    line = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center")
    line.markdown(f"### {number} · {escape_markdown(title)}", width="content")
    return line


def chart(figure: go.Figure, name: str) -> None:
    """A figure whose tool bar saves it as SVG."""
    width: Literal["content", "stretch"] = "content" if figure.layout.width else "stretch"
    st.plotly_chart(figure, theme=None, width=width, config=plot_config(name), key=f"lens_{name}")


def head_chart(figure: go.Figure, name: str) -> None:
    """A map of heads, in which a click chooses one for the whole page."""
    key = f"lens_{name}"

    def select_head() -> None:
        points = (st.session_state.get(key) or {}).get("selection", {}).get("points", [])
        if points:
            session.change(**read_change({"layer": round(points[0]["y"]), "head": round(points[0]["x"])}))

    st.plotly_chart(
        figure,
        theme=None,
        width="content",
        config=plot_config(name),
        key=key,
        on_select=select_head,
        selection_mode="points",
    )


def show_explanation_and_csv(
    line: DeltaGenerator, explanation: Explanation, table: Callable[[], pd.DataFrame], name: str
) -> None:
    """How to read the picture, and in its heading's line its numbers to download.

    Args:
        line: from `heading`.
        table: makes the numbers when somebody asks for them.
    """
    show_explanation(explanation)
    with line:
        csv_button(table, name=name, key=f"lens_csv_{name}", label="CSV")


def state_names(count: int) -> list[str]:
    """Names of the L + 1 hidden states in tables."""
    return ["embeddings", *(f"L{layer}" for layer in range(count - 1))]
