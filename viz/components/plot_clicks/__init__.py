"""Clicks on Plotly's figures: a cell of a heat map that is clicked becomes a part of the selection.

`st.plotly_chart` reports what is selected, and Plotly selects no cells of heat maps. A marker over each cell would be
selectable, but a picture of 40 by 384 cells cannot carry 15,360 of them. Plotly's own click event names the cell, and
leaves hover and zoom as they are; this component, which shows nothing, listens for it and passes it on.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from viz.components.registered import component

Axes = Mapping[str, str]

_CLICKS: Final = component(Path(__file__).parent, html='<div class="view" hidden></div>')


def plot_clicks(charts: Mapping[str, Axes], *, key: str) -> None:
    """Listen to the figures of this run, wherever on the page they are.

    Args:
        charts: for each figure's Streamlit key, of letters, digits, "_" and "-", which fields of the selection its axes
            choose: {"x": "column", "y": "row"}. An axis that is left out chooses nothing.
        key: Streamlit's key.
    """
    _CLICKS(key=key, data={"charts": {name: dict(axes) for name, axes in charts.items()}}, height=0)
