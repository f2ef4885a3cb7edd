"""Rings around the cells, bars or points of a chart that a tour points at."""

from __future__ import annotations

from collections.abc import Iterable

import plotly.graph_objects as go

from viz.theme import Theme

Box = tuple[float, float, float, float]  # left, top, right, bottom, in the units of the axes


def add_rings(figure: go.Figure, boxes: Iterable[Box], *, theme: Theme) -> None:
    """Draw a ring around each box of a figure with one pair of axes."""
    for left, top, right, bottom in boxes:
        figure.add_shape(
            type="rect", x0=left, y0=top, x1=right, y1=bottom, line={"color": theme.primary, "width": 3}, layer="above"
        )
