"""Figures made lower: what shrinks with the plot, and what stays."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import pytest

from viz.figures.anatomy import tensor_band, tensor_square
from viz.figures.norms import norm_heat_map
from viz.figures.rendering import SMALLEST_TEXT, fit_height
from viz.figures.score_terms import term_bars
from viz.theme import THEMES

LIGHT = THEMES["light"]
TOKENS = [f"token{index}" for index in range(13)]


def square() -> go.Figure:
    return tensor_square(np.eye(13), TOKENS, TOKENS, theme=LIGHT, title="A", room=(780, 420))


def plot_height(figure: go.Figure) -> float:
    layout = figure.layout
    return float(layout.height - layout.margin.t - layout.margin.b)


@pytest.mark.parametrize("height", [300, 200])
def test_a_matrix_fits_and_its_names_fit_its_rows(height: int) -> None:
    figure = square()
    fit_height(figure, height)
    pitch = plot_height(figure) / 13
    assert figure.layout.height == height
    assert figure.layout.yaxis.tickfont.size <= max(pitch, SMALLEST_TEXT)
    assert len(figure.layout.yaxis.ticktext) * SMALLEST_TEXT <= plot_height(figure)
    (numbers,) = figure.select_traces({"type": "scatter", "mode": "text"})
    assert numbers.visible is (pitch >= SMALLEST_TEXT)


def test_names_of_bars_fit_their_rows() -> None:
    figure = term_bars(TOKENS, np.linspace(-1, 1, 13), TOKENS, limits=(-1, 1), theme=LIGHT)
    fit_height(figure, 200)
    assert figure.layout.height == 200
    assert figure.layout.yaxis.tickfont.size <= plot_height(figure) / 13


def test_the_bar_above_a_matrix_stays_as_far_above_it() -> None:
    before, after = square(), square()
    fit_height(after, 250)
    gaps = [(figure.data[0].colorbar.y - 1) * plot_height(figure) for figure in (before, after)]
    assert gaps[1] == pytest.approx(gaps[0])


def test_the_title_of_a_matrix_stays_in_the_figure() -> None:
    figure = square()
    fit_height(figure, 250)
    assert max(note.yshift for note in figure.layout.annotations) + 16 < figure.layout.margin.t


def test_a_band_of_many_rows_names_some_and_its_bar_is_as_high() -> None:
    names = [str(position) for position in range(40)]
    figure = tensor_band(np.ones((40, 8)), names, theme=LIGHT, title="positions", limit=1.0)
    fit_height(figure, 200)
    assert figure.data[0].colorbar.len == plot_height(figure) == 136
    assert 40 / figure.layout.yaxis.dtick * SMALLEST_TEXT <= 116


def test_a_figure_that_is_low_enough_stays_as_it_is() -> None:
    figure = square()
    before = figure.to_dict()
    fit_height(figure, figure.layout.height)
    assert figure.to_dict() == before


def test_norms_keep_a_name_for_each_layer() -> None:
    figure = norm_heat_map(np.arange(1.0, 15.0).reshape(7, 2), ["a", "b"], theme=LIGHT)
    fit_height(figure, 175)
    assert len(figure.layout.yaxis.ticktext) == 7
