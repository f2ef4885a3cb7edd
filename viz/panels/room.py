"""Room for a picture: two next to each other, and the height above the words of a tour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from encoder import Trace
from viz.state import session
from viz.state.selection import Selection

if TYPE_CHECKING:  # the first picture comes without Plotly
    import plotly.graph_objects as go


SIDE_BY_SIDE_TOKENS = 16
# Pixels at a stop of a tour in the lowest window, before the page is enlarged: between one row of tokens and the words
# of the tour, and what a second row, parts of speech under one, and a heading take of that. stage.css has their sizes.
STOP_HEIGHT, ROW_OF_TOKENS, ROW_OF_TAGS, HEADING = 258, 37, 17, 26


def fit_side_by_side(traces: Sequence[Trace]) -> bool:
    """Whether views of these traces are readable next to each other, each in half the page's width."""
    return all(len(trace.tokens) <= SIDE_BY_SIDE_TOKENS for trace in traces)


def is_at_stop(selection: Selection) -> bool:
    """Whether a tour is presented: its words take room at the bottom of the page."""
    return selection.stage and bool(selection.tour)


def stop_height(selection: Selection, *, headings: int = 1, above: int = 0) -> int:
    """Pixels for a picture at a stop of a tour, between the parts above it and the tour's words.

    Args:
        headings: lines of heading above the picture.
        above: pixels of other parts above it, below the tokens.
    """
    rows = 0 if selection.shows_collection else len(selection.runs)
    tokens = ROW_OF_TOKENS * (rows - 1) + (0 if selection.tags == "off" else ROW_OF_TAGS * rows)
    return STOP_HEIGHT - tokens - HEADING * headings - above


def fit_stage(figure: go.Figure, *, headings: int = 1, above: int = 0) -> None:
    """Fit a figure to the stage: legend at the upper edge, and no higher than the room above the tour's words.

    The enlarged page would move a legend above the axes into the curves.

    Args:
        headings, above: as `stop_height` has them.
    """
    selection = session.current()
    if selection.stage:
        figure.update_layout(legend={"yref": "container", "y": 1, "yanchor": "top"})
    if is_at_stop(selection):
        from viz.figures.rendering import fit_height  # imports Plotly

        fit_height(figure, stop_height(selection, headings=headings, above=above))
