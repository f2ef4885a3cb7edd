"""Charts of slides, as records: grids of numbers, and how they are drawn.

`browser/slide_contents.mjs` describes the JSON that they become.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from encoder.runs.arrays import FloatArray
from viz.exports.contents import NumberGrid, described_grid

Look = Literal["cells", "curves", "points", "stacked bars", "profile"]
Symbol = Literal["circle", "square", "diamond", "triangle", "star", ""]
Dash = Literal["solid", "dash", "dot"]
Colour = Literal["text", "muted", "primary", "A", "B"] | int
Box = tuple[int, int, int, int]  # row and column of the first cell, and how many rows and columns


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Series:
    """How one row of a grid, or a group of points, is drawn.

    Attributes:
        colour: a colour of the page or of a sentence, or the number of a head's colour.
        symbol: at each of a curve's points, or of a group; "" for none.
        numbered: whether a curve's points have their numbers.
        area: the low and the high edge of what is shaded around a curve, (C,) each, and `area_name` what lies there.
        name: of a group; curves and parts of bars have those of their rows.
    """

    colour: Colour
    dash: Dash = "solid"
    symbol: Symbol = "circle"
    numbered: bool = False
    area: tuple[FloatArray, FloatArray] | None = None
    area_name: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Chart:
    """A grid, (R, C), as a picture; its numbers are a table beside it.

    Attributes:
        look: coloured cells; a curve for each row; a point for each row of two columns; a bar for each column, with a
            part for each row; or a "profile", whose first row has bars to the left of the columns' names and the
            second to the right.
        said: a sentence below the caption.
        series: one for each row of curves and stacked bars, or for each group of points.
        groups: the number of the series of each point, and `hover` what is said of it, in lines.
        across: what the columns are, and `value` what the numbers are.
        percent: whether the numbers are written as such.
        places: where the columns of curves lie on an axis of numbers; None where they stand side by side.
        logarithmic: whether both axes are.
        lines: columns of curves, or places on their axis of numbers, that a line marks, and what it says.
        histogram: a row of numbers behind curves, on the same axis of numbers.
        notes: lines under the name of each column.
        frames: blocks of cells that stand out, and `frames_name` what they are.
        rings: what the stop points at.
        dividers: columns that begin a group, such as a head's.
    """

    grid: NumberGrid
    look: Look = "cells"
    said: str = ""
    series: tuple[Series, ...] = ()
    groups: Sequence[int] = ()
    hover: Sequence[str] = ()
    across: str = ""
    value: str = ""
    percent: bool = False
    places: Sequence[float] | None = None
    logarithmic: bool = False
    lines: Sequence[tuple[float, str]] = ()
    histogram: NumberGrid | None = None
    notes: tuple[tuple[str, ...], ...] = ()
    frames: Sequence[Box] = ()
    frames_name: str = ""
    rings: Sequence[Box] = ()
    dividers: Sequence[int] = ()


def described_chart(chart: Chart) -> dict[str, Any]:
    """A chart as JSON can hold it."""
    return {
        "look": chart.look,
        "grid": described_grid(chart.grid),
        "said": chart.said,
        "series": [_described_series(series, chart.grid.digits) for series in chart.series],
        "groups": list(chart.groups),
        "hover": list(chart.hover),
        "across": chart.across,
        "value": chart.value,
        "percent": chart.percent,
        "places": None if chart.places is None else list(chart.places),
        "logarithmic": chart.logarithmic,
        "lines": [list(line) for line in chart.lines],
        "histogram": None if chart.histogram is None else described_grid(chart.histogram),
        "notes": [list(notes) for notes in chart.notes],
        "frames": [list(box) for box in chart.frames],
        "frames_name": chart.frames_name,
        "rings": [list(box) for box in chart.rings],
        "dividers": list(chart.dividers),
    }


def _described_series(series: Series, digits: int) -> dict[str, Any]:
    return {
        "colour": series.colour,
        "dash": series.dash,
        "symbol": series.symbol,
        "numbered": series.numbered,
        "area": None if series.area is None else [_rounded(edge, digits) for edge in series.area],
        "area_name": series.area_name,
        "name": series.name,
    }


def _rounded(values: ArrayLike, digits: int) -> list[float]:
    rounded: list[float] = np.round(np.asarray(values, dtype=np.float64), digits).tolist()
    return rounded
