"""Clicks on Plotly figures: a click on a cell of a heat map changes the selection.

`st.plotly_chart` reports selections, and Plotly cannot select cells of heat maps. A marker over each cell could be
selected, but a chart of 40 by 384 cells would need 15,360. Plotly's click event identifies the cell, and does not
affect hover and zoom; this component, which shows nothing, forwards the event.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NotRequired, TypedDict

from viz.components.registered import component

Axes = Mapping[str, str]


class PinnedIn(TypedDict):
    """A text where a clicked word is pinned, and the token of each position along the axes; -1 for none."""

    text: str
    tokens: Sequence[int]


class Chart(TypedDict):
    """What a click on a figure selects.

    Attributes:
        axes: the fields of the selection that its axes set: {"x": "column", "y": "row"}. An omitted axis sets
            nothing.
        texts: for axes of words: the words are pinned in the first of these texts that has both.
    """

    axes: Axes
    texts: NotRequired[Sequence[PinnedIn]]


_CLICKS: Final = component(Path(__file__).parent, html='<div class="view" hidden></div>')


def plot_clicks(charts: Mapping[str, Chart], *, key: str) -> None:
    """Handle clicks on the figures of this run, anywhere on the page.

    Args:
        charts: by each figure's Streamlit key, of letters, digits, "_" and "-".
        key: Streamlit's key.
    """
    _CLICKS(key=key, data={"charts": dict(charts)}, height=0)
