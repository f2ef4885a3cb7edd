"""Room for a picture: two next to each other, and the height between the tokens and the words of a tour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from encoder import Trace
from viz.answers.room import PAGE, STOP, Room
from viz.figures.labels import text_width
from viz.state import session
from viz.state.selection import Selection

if TYPE_CHECKING:  # the first picture comes without Plotly
    import plotly.graph_objects as go


SIDE_BY_SIDE_TOKENS = 16
# Pixels at a stop of a tour in the lowest window, before the page is enlarged: between one row of tokens and the words
# of the tour, and what a second row, parts of speech under one, a heading and a caption take of that.
STOP_HEIGHT, ROW_OF_TOKENS, ROW_OF_TAGS, HEADING, CAPTION = 258, 41, 17, 26, 16
# The page's width in these pixels, the space between two strips of tokens, and in a strip around each token and all.
# stage.css and the strip's own sheet have their sizes.
STAGE_WIDTH, BETWEEN_STRIPS, AROUND_TOKEN, AROUND_TOKENS = 720, 32, 13, 31
TOKEN_SIZE, TAG_SIZE = 16, 13  # pixels of the fonts
WORDS, SPECIAL, TAGS = 0.93, 0.8, 0.9  # widths measured in a browser, as shares of the upper estimate `text_width`
# Pixels of the ticks or the title below an axis, and of a line of a legend; where a legend is below the ticks, in
# heights of the plot.
TICKS, LEGEND_LINE, BELOW_TICKS = 32, 21, -0.1
ROWS_OF_TOKENS = "rows_of_tokens"  # in the session: those above the view


def fit_side_by_side(traces: Sequence[Trace]) -> bool:
    """Whether views of these traces are readable next to each other, each in half the page's width."""
    return all(len(trace.tokens) <= SIDE_BY_SIDE_TOKENS for trace in traces)


def is_at_stop(selection: Selection) -> bool:
    """Whether a tour is presented: its words take room at the bottom of the page."""
    return selection.stage and bool(selection.tour)


def room_of(selection: Selection) -> Room:
    """The room of an answer on the page now."""
    return STOP if is_at_stop(selection) else PAGE


def note_tokens(strips: Sequence[Mapping[str, Any]]) -> None:
    """Note how many rows some strips of tokens take before an audience: one if they fit next to each other.

    Args:
        strips: from `viz.payloads.tokens.payload`.
    """
    between = BETWEEN_STRIPS * (len(strips) - 1) + AROUND_TOKENS * len(strips)
    tokens = sum(_width_of_token(token, strip["tags"]) for strip in strips for token in strip["tokens"])
    fits = between + tokens <= STAGE_WIDTH
    st.session_state[ROWS_OF_TOKENS] = 1 if fits else len(strips)


def stop_height(selection: Selection, *, headings: int = 1, above: int = 0) -> int:
    """Pixels for a picture at a stop of a tour, between the parts above it and the tour's words.

    Args:
        headings: lines of heading above the picture.
        above: pixels of other parts above it, below the tokens.
    """
    rows = 0 if selection.shows_collection else st.session_state.get(ROWS_OF_TOKENS, len(selection.runs))
    tokens = ROW_OF_TOKENS * (rows - 1) + (0 if selection.tags == "off" else ROW_OF_TAGS * rows)
    return STOP_HEIGHT - tokens - HEADING * headings - above


def _width_of_token(token: Mapping[str, Any], tags: Sequence[str]) -> float:
    tag = tags[token["word"]] if tags and token["word"] is not None else ""
    share = SPECIAL if token["special"] else WORDS
    widest = max(share * text_width(token["label"], size=TOKEN_SIZE), TAGS * text_width(tag, size=TAG_SIZE))
    return AROUND_TOKEN + widest


def fit_stage(figure: go.Figure, *, columns: int = 1, headings: int = 1, above: int = 0, least: int = 0) -> None:
    """Fit a figure to the stage: legend at the upper edge, and at a stop of a tour as high as the room above its words.

    The enlarged page would move a legend above the axes into the curves. Cells and drawn words do not grow.

    Args:
        columns: how many figures share the page's width.
        headings, above: as `stop_height` has them.
        least: pixels below which its height does not shrink.
    """
    selection = session.current()
    if selection.stage:
        if (figure.layout.legend.y or 0) < BELOW_TICKS:  # before an audience it has an entry on each line
            below = TICKS * (2 if figure.layout.xaxis.title.text else 1)
            figure.update_layout(margin={"t": LEGEND_LINE * len(figure.data), "b": below})
        figure.update_layout(legend={"yref": "container", "y": 1, "yanchor": "top"})
    if is_at_stop(selection):
        from viz.figures.rendering import fit_column_labels, fit_height  # imports Plotly

        room = stop_height(selection, headings=headings, above=above)
        if figure.layout.yaxis.visible is not False and not any(trace.type == "heatmap" for trace in figure.data):
            figure.layout.height = max(room, figure.layout.height or 0)
        fit_height(figure, max(room, least))
        fit_column_labels(figure, (STAGE_WIDTH - BETWEEN_STRIPS * (columns - 1)) // columns)
