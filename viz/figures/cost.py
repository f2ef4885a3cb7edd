"""BERT in numbers: parameters by module, and the cost of a text by its length."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from encoder.errors import ShapeError
from viz.figures.axes import (
    DASHES,
    FONT_SIZE,
    PATTERNS,
    TITLE_SIZE,
    check_count,
    checked_array,
    legend_above,
    pattern,
    redrawn_figure,
    value_axis,
)
from viz.figures.labels import plotly_text, text_width
from viz.theme import Theme


def parameter_bars(parts: Mapping[str, ArrayLike], models: Sequence[str], *, theme: Theme) -> go.Figure:
    """Shares of a model's parameters in each part, one bar for each model. Stretches to its column.

    Args:
        parts: for each part's name (M,) numbers of parameters.
        models: M names.
    """
    arrays = {name: checked_array(f"parameters of {name!r}", counts, axes="M") for name, counts in parts.items()}
    if not arrays:
        raise ShapeError("no parts to draw: 0 parts, at least 1 needed.")
    for name, array in arrays.items():
        check_count(f"models in {name!r}", len(array), models)
    totals = np.sum(list(arrays.values()), axis=0)
    if not (totals > 0).all():
        raise ShapeError(f"every model needs parameters; got {totals.tolist()}.")
    bars = [
        {
            "type": "bar",
            "x": array / totals,
            "y": [plotly_text(model) for model in models],
            "orientation": "h",
            "name": plotly_text(name),
            "marker": {
                "color": theme.head_colours[index % len(theme.head_colours)],
                "pattern": pattern(PATTERNS[index % len(PATTERNS)], theme),
                "line": {"width": 0},
            },
            "customdata": array,
            "hovertemplate": f"%{{y}}<br>{plotly_text(name)}: %{{customdata:,d}} parameters, %{{x:.1%}}<extra></extra>",
        }
        for index, (name, array) in enumerate(arrays.items())
    ]
    return redrawn_figure(
        bars,
        theme,
        height=44 * len(models) + 150,
        margin={"l": max(text_width(model, size=FONT_SIZE) for model in models) + 20, "r": 16, "t": 8, "b": 100},
        barmode="stack",
        bargap=0.3,
        xaxis=value_axis("", theme, range=[0, 1], dtick=0.25, tickformat=".0%"),
        yaxis={"autorange": "reversed", "tickfont": {"size": FONT_SIZE}, "ticklabelstandoff": 6, "fixedrange": True},
        legend=legend_above() | {"y": -0.16, "yanchor": "top", "traceorder": "normal", "font": {"size": TITLE_SIZE}},
    )


def operation_lines(
    parts: Mapping[str, ArrayLike], lengths: ArrayLike, *, theme: Theme, crossing: float, longest: int
) -> go.Figure:
    """Operations of each part by the number of tokens, both axes logarithmic. Stretches to its column.

    Args:
        parts: for each part's name (N,) operations.
        lengths: (N,) numbers of tokens.
        crossing: length at which the quadratic part of attention costs as much as the feed-forward; marked by a line.
        longest: how many tokens the model reads; marked by a line.
    """
    tokens = checked_array("lengths", lengths, axes="N")
    lines = []
    for index, (name, operations) in enumerate(parts.items()):
        array = checked_array(f"operations of {name!r}", operations, axes="N")
        if array.shape != tokens.shape:
            raise ShapeError(f"{name!r} has {len(array)} operations for {len(tokens)} lengths.")
        line = {
            "type": "scatter",
            "x": tokens,
            "y": array,
            "name": plotly_text(name),
            "mode": "lines",
            "line": {"color": theme.head_colours[index], "width": 2.5, "dash": DASHES[index % len(DASHES)]},
            "hovertemplate": f"{plotly_text(name)}<br>%{{x:,d}} tokens<br>%{{y:.3s}} operations<extra></extra>",
        }
        lines.append(line)
    marks = ((crossing, f"equal at {crossing:,.0f} tokens"), (longest, f"this model reads {longest:,}"))
    scale: dict[str, Any] = {"type": "log", "exponentformat": "SI", "dtick": 1}
    return redrawn_figure(
        lines,
        theme,
        height=400,
        margin={"l": 66, "r": 16, "t": 40, "b": 56},
        xaxis=value_axis("tokens", theme, **scale),
        yaxis=value_axis("operations of one pass", theme, **scale),
        shapes=[_mark(tokens_marked, theme) for tokens_marked, _ in marks],
        annotations=[_mark_label(tokens_marked, words, theme) for tokens_marked, words in marks],
    )


def _mark(tokens_marked: float, theme: Theme) -> dict[str, object]:
    ends = {"x0": tokens_marked, "x1": tokens_marked, "yref": "y domain", "y0": 0, "y1": 1}
    return {"type": "line", **ends, "line": {"color": theme.muted, "width": 1, "dash": "dot"}}


def _mark_label(tokens_marked: float, words: str, theme: Theme) -> dict[str, object]:
    """A vertical label at the line. On a logarithmic axis the x of an annotation is an exponent, unlike a shape's."""
    return {
        "text": words,
        "font": {"size": TITLE_SIZE, "color": theme.muted},
        "textangle": -90,
        "showarrow": False,
        "x": float(np.log10(tokens_marked)),
        "xanchor": "right",
        "yref": "y domain",
        "y": 0.02,
        "yanchor": "bottom",
    }
