"""The likeliest words after every layer, as a grid."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz.figures.axes import (
    FONT_SIZE,
    TITLE_SIZE,
    check_count,
    checked_array,
    figure_from_traces,
    named_rows,
    text_trace,
)
from viz.figures.labels import plotly_text, text_width
from viz.figures.matrix import readable_colour
from viz.theme import Theme
from viz.wording.labels import make_visible, shorten
from viz.wording.numbers import percent

ROW = 34  # pixels
WORD_LIMIT = 12  # characters in a cell; hover has them all
RANKS = ("1st", "2nd", "3rd")


def words_by_layer(
    words: Sequence[Sequence[str]], probabilities: ArrayLike, *, rows: Sequence[str], theme: Theme
) -> go.Figure:
    """A row for each hidden state, its likeliest words from left to right; colour is probability, from 0 to 1.

    Args:
        words: S rows of K words.
        probabilities: (S, K) in [0, 1].
        rows: S names, the first on top.
    """
    shares = checked_array("probabilities", probabilities, axes="SK")
    check_count("probabilities", len(shares), rows)
    check_count("probabilities", len(shares), [row[0] for row in words])
    count, ranks = shares.shape
    scale = theme.sequential
    stops = np.rint(np.clip(shares, 0, 1) * (len(scale) - 1)).astype(int).ravel().tolist()
    texts = [plotly_text(shorten(word, WORD_LIMIT)) for row in words for word in row]
    cells = {
        "type": "heatmap",
        "z": shares.tolist(),
        "zmin": 0,
        "zmax": 1,
        "colorscale": scale,
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        "hovertext": [
            [f"<b>{plotly_text(word)}</b><br>{plotly_text(name)}" for word in row]
            for name, row in zip(rows, words, strict=True)
        ],
        "hovertemplate": "%{hovertext}<br>probability %{z:.4f}<extra></extra>",
    }
    places = [(rank, row) for row in range(count) for rank in range(ranks)]
    labels = text_trace(
        [x for x, _ in places],
        [y for _, y in places],
        [f"{text} {percent(share)}" for text, share in zip(texts, shares.ravel().tolist(), strict=True)],
        size=FONT_SIZE,
        colour=[readable_colour(scale[stop][1], theme) for stop in stops],
    )
    return figure_from_traces(
        [cells, labels],
        theme,
        height=ROW * count + 40,
        margin={
            "l": max(text_width(make_visible(name), size=FONT_SIZE) for name in rows) + 12,
            "r": 4,
            "t": 34,
            "b": 6,
        },
        yaxis=named_rows(rows, theme) | {"range": [count - 0.5, -0.5]},
        xaxis={
            "side": "top",
            "tickmode": "array",
            "tickvals": list(range(ranks)),
            "ticktext": [RANKS[rank] if rank < len(RANKS) else f"{rank + 1}th" for rank in range(ranks)],
            "tickfont": {"size": TITLE_SIZE, "color": theme.muted},
            "range": [-0.5, ranks - 0.5],
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        showlegend=False,
    )
