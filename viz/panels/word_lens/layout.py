"""The layout of the lens's pictures: a heading, the figure, its explanation, and its numbers as CSV."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.figures.config import plot_config
from viz.panels.common import fit_stage, show_explanation
from viz.panels.download import csv_button
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown


def heading(number: int, title: str) -> DeltaGenerator:
    """The title of one of the six pictures; returns the rest of its line, for `show_explanation_and_csv`."""
    line = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center")
    line.markdown(f"### {number} · {escape_markdown(title)}", width="content")
    return line


def chart(figure: go.Figure, name: str, *, headings: int = 1, above: int = 0) -> None:
    """A figure whose tool bar saves it as SVG.

    Args:
        headings, above: as `fit_stage` has them.
    """
    fit_stage(figure, headings=headings, above=above)
    width: Literal["content", "stretch"] = "content" if figure.layout.width else "stretch"
    st.plotly_chart(figure, theme=None, width=width, config=plot_config(name), key=f"lens_{name}")


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
