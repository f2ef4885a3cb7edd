"""Means with intervals: the ranges of a control lie behind the dots, and hovering says only what is known."""

from __future__ import annotations

import numpy as np

from viz.figures.mean_dots import mean_dots
from viz.theme import THEMES

MEANS, ENDS = [0.5, -0.25], [[0.25, 0.75], [np.nan, np.nan]]


def test_a_control_is_a_bar_behind_each_dot() -> None:
    figure = mean_dots(
        MEANS,
        ENDS,
        ["good", "bad"],
        [3, 1],
        title="log odds",
        number_format="+.2f",
        theme=THEMES["light"],
        legend=("mean", ""),
        control=("shuffled", [[-0.5, 0.5], [-0.25, 0.25]]),
    )
    bars, dots = figure.data
    assert (bars.name, list(bars.base), list(bars.x)) == ("shuffled", [-0.5, -0.25], [1, 0.5])
    assert (dots.name, list(dots.x), list(dots.error_x.array), list(dots.error_x.arrayminus)) == (
        "mean",
        MEANS,
        [0.25, 0],
        [0.25, 0],
    )
    assert list(dots.text) == [
        "<b>good</b><br>+0.50<br>95 % interval: +0.25 to +0.75<br>shuffled: −0.50 to +0.50",
        "<b>bad</b><br>−0.25<br>shuffled: −0.25 to +0.25",
    ]
    assert list(figure.layout.yaxis.ticktext) == ["good  3", "bad  1"]


def test_without_more_all_dots_are_filled() -> None:
    [dots] = mean_dots(MEANS, ENDS, ["a", "b"], [1, 1], title="", number_format="", theme=THEMES["light"]).data
    assert dots.marker.symbol == "circle"
