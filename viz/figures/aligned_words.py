"""The words of two texts in two rows, each above the one that it is aligned with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from viz.figures.axes import TITLE_SIZE, check_count, figure_from_traces, text_trace
from viz.figures.labels import Box, break_lines, plotly_text, text_width
from viz.theme import Theme
from viz.wording.labels import shorten, word_label

NAME_LIMIT = 22  # of a row's name
WORD_SIZE = 15
GAP, PADDING = 4, 7  # pixels between two columns, and on either side within a word
ROW, BOX, LINE = 34, 30, 84  # pixels: row pitch, height of a word, pitch of a pair of rows


def aligned_words(
    first: Sequence[str | None], second: Sequence[str | None], *, names: tuple[str, str], theme: Theme, width: int = 600
) -> go.Figure:
    """Two rows of words in columns; None is a gap. Stretches to a column of at least `width` pixels.

    A word that only one text has is framed in that text's colour, above or below a dotted frame.

    Args:
        first, second: C words or gaps of each text.
        names: of the two rows.
        width: maximum width of a line in pixels.
    """
    check_count("columns", len(first), [word or "" for word in second])
    rows = (first, second)
    boxes = _boxes(first, second, names, width)
    lines = _lines(boxes)
    shapes = [
        _frame(box, row, is_gap=word is None, only=theme.sentence("AB"[row]) if other is None else "", theme=theme)
        for row, words in enumerate(rows)
        for box, word, other in zip(boxes, words, rows[1 - row], strict=True)
    ]
    return figure_from_traces(
        [_row_names(names, lines, theme), *(_words(boxes, words, row, theme) for row, words in enumerate(rows))],
        theme,
        height=lines * LINE,
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        xaxis={"visible": False, "range": [0, width], "fixedrange": True},
        yaxis={"visible": False, "range": [lines * LINE, 0], "fixedrange": True},
        shapes=shapes,
        showlegend=False,
    )


def height_of_rows(
    first: Sequence[str | None], second: Sequence[str | None], *, names: tuple[str, str], width: int = 600
) -> int:
    """The height of `aligned_words` in pixels."""
    return _lines(_boxes(first, second, names, width)) * LINE


def _lines(boxes: Sequence[Box]) -> int:
    return 1 + max((line for line, _, _ in boxes), default=0)


def _boxes(first: Sequence[str | None], second: Sequence[str | None], names: tuple[str, str], width: int) -> list[Box]:
    left = max(text_width(shorten(name, NAME_LIMIT), size=TITLE_SIZE) for name in names) + 12
    columns = ([word_label(word) for word in pair if word is not None] for pair in zip(first, second, strict=True))
    widths = (max(text_width(word, size=WORD_SIZE) for word in words) for words in columns)
    padded = (max(widest * 1.06, 22) + 2 * PADDING for widest in widths)
    return break_lines(padded, room=width, gap=GAP, indent=left, words=[word or "" for word in first])


def _words(boxes: Sequence[Box], words: Sequence[str | None], row: int, theme: Theme) -> dict[str, Any]:
    placed = [
        (box, index, word) for index, (box, word) in enumerate(zip(boxes, words, strict=True)) if word is not None
    ]
    return text_trace(
        [start + own / 2 for (_, start, own), _, _ in placed],
        [line * LINE + row * ROW + BOX / 2 for (line, _, _), _, _ in placed],
        [plotly_text(word_label(word)) for _, _, word in placed],
        size=WORD_SIZE,
        colour=theme.text,
        hoverinfo=None,
        hovertemplate=[f"<b>{plotly_text(word)}</b> · column {at}<extra></extra>" for _, at, word in placed],
    )


def _row_names(names: tuple[str, str], lines: int, theme: Theme) -> dict[str, Any]:
    places = [(line, row) for line in range(lines) for row in range(2)]
    return text_trace(
        [0.0] * len(places),
        [line * LINE + row * ROW + BOX / 2 for line, row in places],
        [plotly_text(shorten(names[row], NAME_LIMIT)) for _, row in places],
        size=TITLE_SIZE,
        colour=theme.muted,
        textposition="middle right",
    )


def _frame(box: Box, row: int, *, is_gap: bool, only: str, theme: Theme) -> dict[str, Any]:
    """Around a word or a gap; `only` is the colour of a word that the other text lacks, "" for a shared word."""
    line, start, own = box
    top = line * LINE + row * ROW
    outline = {"color": theme.muted, "width": 1, "dash": "dot"} if is_gap else {"color": only or theme.border}
    fill = "rgba(0,0,0,0)" if is_gap or only else theme.secondary_background
    return {
        "type": "rect",
        "layer": "below",
        "x0": start,
        "x1": start + own,
        "y0": top + 1,
        "y1": top + BOX,
        "fillcolor": fill,
        "line": outline | ({"width": 2} if only and not is_gap else {}),
    }
