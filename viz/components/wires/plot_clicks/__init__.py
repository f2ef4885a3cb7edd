"""Clicks on Plotly's figures: a cell of a heat map that is clicked becomes a part of the selection.

`st.plotly_chart` reports what is selected, and Plotly selects no cells of heat maps. A marker over each cell would be
selectable, but a picture of 40 by 384 cells cannot carry 15,360 of them. Plotly's own click event names the cell, and
leaves hover and zoom as they are; this component, which shows nothing, listens for it and passes it on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NotRequired, TypedDict

from viz.components.registered import component

Axes = Mapping[str, str]


class PinnedIn(TypedDict):
    """A text that a clicked word is pinned in, and for each place along the axes its token there; -1 for none."""

    text: str
    tokens: Sequence[int]


class Chart(TypedDict):
    """What a click on a figure chooses.

    Attributes:
        axes: the fields of the selection that its axes choose: {"x": "column", "y": "row"}. An axis that is left out
            chooses nothing.
        texts: where the axes are words that are pinned, in the first of these texts that has both.
    """

    axes: Axes
    texts: NotRequired[Sequence[PinnedIn]]


_CLICKS: Final = component(Path(__file__).parent, html='<div class="view" hidden></div>')


def plot_clicks(charts: Mapping[str, Chart], *, key: str) -> None:
    """Listen to the figures of this run, wherever on the page they are.

    Args:
        charts: by each figure's Streamlit key, of letters, digits, "_" and "-".
        key: Streamlit's key.
    """
    _CLICKS(key=key, data={"charts": dict(charts)}, height=0)
