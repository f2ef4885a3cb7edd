"""The words of a text, coloured by their contribution to an output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz.figures.axes import RING, TITLE_SIZE, check_count, checked_array, figure_from_traces, text_trace
from viz.figures.labels import Box, break_lines, plotly_text, text_width, word_frame
from viz.theme import Theme, ink_on
from viz.wording.labels import word_label
from viz.wording.numbers import written

GAP, PADDING = 5, 8  # pixels between two words, and on either side within one
LINE, BOX = 54, 46  # pixels: line pitch, height of a word
WORD_SIZE = 16
SLACK, LEAST_WIDTH = 1.06, 34  # of a word's estimated width, and pixels of the shortest
FEW_DECIMALS = 0.2  # values up to this have three decimals
LEGEND = 34  # pixels under the words
LEGEND_BAR, SHADES = (130, 330), 33  # left and right end of the scale, and its steps


def word_picture(
    values: ArrayLike,
    labels: Sequence[str],
    *,
    unit: str,
    theme: Theme,
    width: int = 600,
    removed: Sequence[int] = (),
    ringed: Sequence[int] = (),
    second: int = 0,
) -> go.Figure:
    """Words in reading order, in lines, each on the colour of its value and with the value below.

    The scale is centred on 0 and runs to the largest absolute value. Stretches to a column of at least `width` pixels.

    Args:
        values: (U,) what each word adds; NaN for the word of the question, which gets a thick frame and no colour.
        labels: U words.
        unit: of the values.
        width: maximum width of a line in pixels.
        removed: indices of removed words, which are struck through.
        ringed: indices of words that a stop of a tour points at.
        second: index of the first word of a second text, which begins a line; 0 without one.
    """
    array = checked_array("values", values, axes="U")
    check_count("values", len(array), labels)
    high = max(float(np.nanmax(np.abs(array), initial=0)), 1e-6)
    decimals = 2 if high >= FEW_DECIMALS else 3
    widths = [text_width(word_label(label), size=WORD_SIZE) for label in labels]
    boxes: list[Box] = []
    for text in (slice(second), slice(second, None)):
        above = 1 + boxes[-1][0] if boxes else 0
        padded = (max(own * SLACK, LEAST_WIDTH) + 2 * PADDING for own in widths[text])
        placed = break_lines(padded, room=width, gap=GAP, words=labels[text])
        boxes += [(above + line, left, own) for line, left, own in placed]
    lines = 1 + max(line for line, _, _ in boxes)
    colours = [colour_of_share(value / high, theme) for value in np.nan_to_num(array).tolist()]
    shown = ["" if np.isnan(value) else written(value, f"+.{decimals}f") for value in array.tolist()]
    inks = [ink_on(colour) for colour in colours]
    names = [f"<b>{plotly_text(word_label(label))}</b>" for label in labels]
    middles = [left + own / 2 for _, left, own in boxes]
    return figure_from_traces(
        [
            text_trace(
                middles,
                [line * LINE + 16 for line, _, _ in boxes],
                names,
                size=WORD_SIZE,
                colour=inks,
                hoverinfo=None,
                hovertemplate=[
                    f"<b>{plotly_text(label)}</b> · {index}<br>{_hover(value, unit)}<extra></extra>"
                    for index, (label, value) in enumerate(zip(labels, array.tolist(), strict=True))
                ],
            ),
            text_trace(middles, [line * LINE + 36 for line, _, _ in boxes], shown, size=TITLE_SIZE, colour=inks),
            *_legend(high, decimals, unit, lines * LINE, theme),
        ],
        theme,
        height=lines * LINE + LEGEND,
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        xaxis={"visible": False, "range": [0, width], "fixedrange": True},
        yaxis={"visible": False, "range": [lines * LINE + LEGEND, 0], "fixedrange": True},
        shapes=[
            word_frame(
                box,
                pitch=LINE,
                height=BOX,
                fill=colour,
                line={"color": theme.text, "width": 2} if np.isnan(value) else {"color": theme.border, "width": 1},
            )
            for box, colour, value in zip(boxes, colours, array, strict=True)
        ]
        + [_strike(boxes[index], inks[index]) for index in removed]
        + [_ring(boxes[index], theme) for index in ringed],
        showlegend=False,
    )


def _hover(value: float, unit: str) -> str:
    return "the word that is asked about" if np.isnan(value) else f"{written(value, '+.4f')} {plotly_text(unit)}"


def _strike(box: Box, ink: str) -> dict[str, Any]:
    line, left, width = box
    y = line * LINE + 17
    ends = {"x0": left + PADDING, "x1": left + width - PADDING, "y0": y, "y1": y}
    return {"type": "line", "layer": "above", "line": {"color": ink, "width": 2}, **ends}


def _ring(box: Box, theme: Theme) -> dict[str, Any]:
    line, left, width = box
    place = {"x0": left + 2, "x1": left + width - 1, "y0": line * LINE + 2, "y1": line * LINE + BOX - 1}
    return {"type": "rect", "name": RING, "line": {"color": theme.primary, "width": 4}, **place}


def _legend(high: float, decimals: int, unit: str, top: int, theme: Theme) -> list[dict[str, Any]]:
    """The scale in one line under the words; Plotly's colour bar has a wrong size on an enlarged page."""
    left, right = LEGEND_BAR
    middle = top + LEGEND // 2
    bar = {
        "type": "heatmap",
        "z": [np.linspace(-high, high, SHADES).tolist()],
        "x": np.linspace(left, right, SHADES + 1).tolist(),
        "y": [middle - 5, middle + 5],
        "zmin": -high,
        "zmax": high,
        "colorscale": theme.diverging,
        "showscale": False,
        "hoverinfo": "skip",
    }
    low_end, high_end = (written(end, f"+.{decimals}f") for end in (-high, high))
    texts = [f"lowers it {low_end}", f"{high_end} raises it ({plotly_text(unit)})"]
    ends = text_trace(
        [left - 8, right + 8],
        [middle, middle],
        texts,
        size=TITLE_SIZE,
        colour=theme.muted,
        textposition=["middle left", "middle right"],
    )
    return [bar, ends]


def colour_of_share(share: float, theme: Theme) -> str:
    """The colour of a share from -1 to 1 on the diverging scale, interpolated between two stops as in Plotly."""
    place = (float(np.clip(share, -1, 1)) + 1) / 2
    for (low, first), (high, second) in zip(theme.diverging, theme.diverging[1:], strict=False):
        if place <= high:
            mix = (place - low) / (high - low)
            channels = (
                round((1 - mix) * int(first[start : start + 2], 16) + mix * int(second[start : start + 2], 16))
                for start in (1, 3, 5)
            )
            return "#" + "".join(f"{channel:02X}" for channel in channels)
    return theme.diverging[-1][1]
