"""The words of a text, each with the output of a head below."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from viz.figures.axes import TITLE_SIZE, check_count, figure_from_traces, text_trace
from viz.figures.labels import break_lines, plotly_text, text_width, word_frame
from viz.theme import Theme
from viz.wording.labels import word_label

GAP, PADDING = 5, 8  # pixels between two words, and on either side within one
BELOW, ABOVE = 20, 34  # pixels: height of a line below a word, and of the word
WORD_SIZE = 16


def tagged_words(
    labels: Sequence[str],
    below: Sequence[Sequence[str]],
    *,
    marked: Sequence[bool],
    hover: Sequence[str],
    theme: Theme,
    width: int = 600,
) -> go.Figure:
    """Words in reading order, in lines, each with the same number of short lines below.

    Stretches to a column of at least `width` pixels.

    Args:
        labels: U words.
        below: U rows of N texts; "" leaves a line blank.
        marked: U; marked words are on a tint and have their texts in full colour.
        hover: U texts, with "\\n" between lines.
        width: maximum width of a line in pixels.
    """
    check_count("words", len(below), labels)
    words = [word_label(label) for label in labels]
    texts = [[word_label(text) if text else "" for text in row] for row in below]
    count = max(map(len, texts), default=0)
    height = ABOVE + count * BELOW
    widths = (
        max(1.06 * text_width(word, size=WORD_SIZE), *(text_width(text, size=TITLE_SIZE) for text in row), 34)
        for word, row in zip(words, texts, strict=True)
    )
    boxes = break_lines((own + 2 * PADDING for own in widths), room=width, gap=GAP, words=labels)
    lines, pitch = 1 + max((line for line, _, _ in boxes), default=0), height + 8
    middles = [left + own / 2 for _, left, own in boxes]
    tops = [line * pitch for line, _, _ in boxes]
    inks = [theme.text if is_marked else theme.muted for is_marked in marked]
    hovers = ["<br>".join(map(plotly_text, text.split("\n"))) + "<extra></extra>" for text in hover]
    names = [f"<b>{plotly_text(word)}</b>" for word in words]
    word_trace = text_trace(
        middles, [top + 17 for top in tops], names, size=WORD_SIZE, colour=inks, hoverinfo=None, hovertemplate=hovers
    )
    text_traces = [
        text_trace(
            middles,
            [top + ABOVE + BELOW * number + 4 for top in tops],
            [plotly_text(row[number]) if row[number] else "" for row in texts],
            size=TITLE_SIZE,
            colour=inks,
        )
        for number in range(count)
    ]
    return figure_from_traces(
        [word_trace, *text_traces],
        theme,
        height=lines * pitch,
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        xaxis={"visible": False, "range": [0, width], "fixedrange": True},
        yaxis={"visible": False, "range": [lines * pitch, 0], "fixedrange": True},
        shapes=[
            word_frame(
                box,
                pitch=pitch,
                height=height,
                fill=theme.sequential[2][1] if is_marked else theme.background,
                line={"color": theme.border, "width": 1},
            )
            for box, is_marked in zip(boxes, marked, strict=True)
        ],
        showlegend=False,
    )
