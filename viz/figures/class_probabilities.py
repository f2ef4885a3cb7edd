"""The class probabilities that a probe gives a word, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from encoder.errors import ShapeError
from encoder.measures.near_ties import largest_first
from viz.figures.axes import (
    FONT_SIZE,
    PATTERNS,
    TITLE_SIZE,
    axis_title,
    check_count,
    checked_array,
    figure_from_traces,
    legend_above,
    pattern,
    value_axis,
)
from viz.theme import Theme, ink_on

HEIGHT = 360
SMALLEST_NAME = 11  # pixels of a name within a bar; names that need a smaller font are hidden
SHOWN = 0.14  # share of a bar from which on its name fits


def likeliest_classes(probabilities: Sequence[NDArray[np.float32]], count: int) -> tuple[int, ...]:
    """The classes with a colour of their own, at most `count`: those that reach the highest probability anywhere.

    Args:
        probabilities: (L + 1, C) of each occurrence.
    """
    highest = np.max([np.max(each, axis=0) for each in probabilities], axis=0)  # (C,)
    return largest_first(highest, count)


def belief_bars(
    probabilities: ArrayLike,
    classes: Sequence[str],
    *,
    shown: Sequence[int],
    accuracy: ArrayLike,
    control_accuracy: ArrayLike,
    theme: Theme,
    shows_accuracy: bool = True,
) -> go.Figure:
    """Stacked bars over the layers: how likely a probe finds each class. Stretches to its column.

    Each layer's label gives its probe's held-out accuracy, and the points by which it exceeds that of a probe trained
    on random classes.

    Args:
        probabilities: (L + 1, C), each row sums to 1.
        classes: C names.
        shown: the classes with a colour of their own, at most five; the others share one grey segment.
        accuracy, control_accuracy: (L + 1,) in [0, 1].
        shows_accuracy: whether the tick labels include these; without them a low figure has more room for its bars.
    """
    array = checked_array("probabilities", probabilities, axes="LC")
    check_count("classes in probabilities", array.shape[1], classes)
    accuracies, control_accuracies = (
        checked_array("accuracy", values, axes="L") for values in (accuracy, control_accuracy)
    )
    if not len(array) == len(accuracies) == len(control_accuracies):
        raise ShapeError(
            f"{len(array)} layers have {len(accuracies)} accuracies and {len(control_accuracies)} of the control task."
        )
    rest = np.clip(1 - array[:, list(shown)].sum(axis=1), 0, 1)
    parts = [(classes[index], array[:, index]) for index in shown] + [("other", rest)]
    colours = (*theme.class_colours[: len(shown)], theme.muted)
    return figure_from_traces(
        [
            _bars(name, heights, colour, shape, theme)
            for (name, heights), colour, shape in zip(parts, colours, PATTERNS[: len(parts)], strict=True)
        ],
        theme,
        height=HEIGHT,
        margin={"l": 56, "r": 8, "t": 40, "b": 96 if shows_accuracy else 28},
        barmode="stack",
        bargap=0.12,
        xaxis=_probe_axis(accuracies, control_accuracies, theme, shows_accuracy=shows_accuracy),
        uniformtext={"minsize": SMALLEST_NAME, "mode": "hide"},  # Plotly would shrink a name to its segment
        yaxis=value_axis("probability", theme, range=[0, 1], tickformat=".0%"),
        legend=legend_above() | {"traceorder": "normal"},
    )


def _bars(name: str, heights: NDArray[np.float32], colour: str, shape: str, theme: Theme) -> dict[str, Any]:
    """(L + 1,) segments of one class in every layer's bar, or of all others together."""
    faint = pattern(shape, theme) | {"fgopacity": 0.35, "size": 8, "solidity": 0.15}
    return {
        "type": "bar",
        "x": list(range(len(heights))),
        "y": heights.tolist(),
        "name": name,
        "marker": {"color": colour, "line": {"color": theme.background, "width": 1}, "pattern": faint},
        "text": [name if height > SHOWN else "" for height in heights.tolist()],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "textfont": {"size": TITLE_SIZE, "color": ink_on(colour)},
        "hovertemplate": f"%{{x}}<br>{name}: %{{y:.1%}}<extra></extra>",
    }


def _probe_axis(
    accuracies: NDArray[np.float32], control_accuracies: NDArray[np.float32], theme: Theme, *, shows_accuracy: bool
) -> dict[str, Any]:
    """The layer axis, with the accuracies of the probes if they are shown; both are (L + 1,)."""
    names = ["emb.", *(f"L{layer}" for layer in range(len(accuracies) - 1))]
    labels = [
        f"{name}<br>{100 * accuracy:.0f} %<br>+{100 * (accuracy - control):.0f}" if shows_accuracy else name
        for name, accuracy, control in zip(names, accuracies.tolist(), control_accuracies.tolist(), strict=True)
    ]
    return {
        "tickmode": "array",
        "tickvals": list(range(len(labels))),
        "ticktext": labels,
        "tickfont": {"size": FONT_SIZE, "color": theme.text},
        "tickangle": 0,
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "title": axis_title("layer (below: its probe's reliability)" if shows_accuracy else "", theme),
    }
