"""What the figures of norms, cosines and probabilities hand to Plotly."""

import math

import numpy as np
import pytest

from viz.figures.labels import text_width
from viz.figures.norms import cosine_heat_map, embedding_norm_bars, norm_heat_map
from viz.figures.predictions import probability_bars
from viz.theme import THEMES, Theme, contrast

LIGHT = THEMES["light"]
LABELS = ["[CLS]", "flies", "flies", "<b>x</b>", "[SEP]"]
NORMS = np.arange(1, 36, dtype=np.float64).reshape(7, 5)


def test_norms_run_downward_on_a_scale_from_smallest_to_largest() -> None:
    figure = norm_heat_map(NORMS, LABELS, theme=LIGHT)
    cells, rows = figure.data[0], figure.layout.yaxis
    assert (cells.zmin, cells.zmax) == (1, 35)
    assert rows.range == (6.5, -0.5)
    assert rows.ticktext == ("embeddings", "L0", "L1", "L2", "L3", "L4", "L5")
    assert rows.tickvals == tuple(range(7))
    assert figure.layout.xaxis.ticktext[1:4] == ("flies", "flies", "&lt;b&gt;x&lt;/b&gt;")
    assert cells.hovertext[1][3] == "<b>&lt;b&gt;x&lt;/b&gt;</b> · position 3<br>after L0"


def test_norms_of_nothing_but_zeros_still_have_a_scale() -> None:
    assert norm_heat_map(np.zeros((2, 5)), LABELS, theme=LIGHT).data[0].zmax == 1


def test_cosines_are_coloured_from_0_to_1_and_negative_ones_are_written() -> None:
    cosines = np.full((6, 5), 0.9)
    cosines[2, 3] = -0.25
    figure = cosine_heat_map(cosines, LABELS, theme=LIGHT)
    cells, numbers = figure.data
    assert (cells.zmin, cells.zmax) == (0, 1)
    assert cells.z[2][3] == np.float32(-0.25)
    assert numbers.text[2 * 5 + 3] == "−0.25"
    rows = figure.layout.yaxis.ticktext
    assert [rows[i] for i in (0, 1, 5)] == ["embeddings → L0", "L0 → L1", "L4 → L5"]


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_few_tokens_show_their_numbers_in_readable_ink(theme: Theme) -> None:
    cosines = np.array([[0.004, 0.996], [0.55, 0.45]], dtype=np.float32)
    numbers = cosine_heat_map(cosines, ["a", "b"], theme=theme).data[1]
    assert list(numbers.text) == ["0.00", "1.00", "0.55", "0.45"]
    assert (numbers.textfont.size, numbers.hoverinfo) == (14, "skip")
    np.testing.assert_array_equal(np.stack([numbers.y, numbers.x], axis=1), [[0, 0], [0, 1], [1, 0], [1, 1]])
    for ink, cosine in zip(numbers.textfont.color, cosines.ravel(), strict=True):
        assert contrast(ink, theme.sequential[round(float(cosine) * 16)][1]) >= 4


def test_many_tokens_show_no_numbers() -> None:
    assert [len(norm_heat_map(np.ones((2, count)), ["a"] * count, theme=LIGHT).data) for count in (14, 15)] == [2, 1]


@pytest.mark.parametrize("count", [5, 30, 60])
def test_a_long_token_fits_its_margin_and_is_whole_in_hover(count: int) -> None:
    figure = norm_heat_map(np.ones((7, count)), ["a" * 40, *["b"] * (count - 1)], theme=LIGHT)
    layout, axis, cells = figure.layout, figure.layout.xaxis, figure.data[0]
    tick = axis.ticktext[0] if axis.ticktext else axis.labelalias["0"]
    assert tick == "a" * 15 + "…"
    hover = cells.hovertext[0][0].split("<br>")[0] if cells.hovertext else axis.labelalias["+0"]
    assert hover == f"<b>{'a' * 40}</b> · position 0"
    upwards = {0: 0.0, -45: 0.7, -90: 1.0}[axis.tickangle]
    assert layout.margin.t >= upwards * text_width(tick) + 50


def test_embedding_parts_are_bars_side_by_side_at_each_position() -> None:
    parts = {"word": [1, 2, 3, 4, 5], "position": np.full(5, 0.5), "token type": np.zeros(5)}
    figure = embedding_norm_bars(parts, LABELS, theme=LIGHT)
    assert figure.layout.barmode == "group"
    assert [bars.name for bars in figure.data] == ["word", "position", "token type"]
    for bars, norms in zip(figure.data, parts.values(), strict=True):
        np.testing.assert_array_equal(bars.x, range(5))
        np.testing.assert_array_equal(bars.y, norms)
        assert bars.hovertemplate.startswith(f"%{{x}}<br>L2 norm, {bars.name}: %{{y")
    assert figure.layout.xaxis.labelalias["+3"] == "<b>&lt;b&gt;x&lt;/b&gt;</b> · position 3"


@pytest.mark.parametrize(
    ("count", "angle", "mode"),
    [(5, 0, "linear"), (22, -45, "linear"), (28, -90, "linear"), (60, -90, "linear"), (512, -90, "auto")],
)
def test_labels_below_the_bars_never_overlap(count: int, angle: int, mode: str) -> None:
    axis = embedding_norm_bars({"word": np.ones(count)}, ["lighter"] * count, theme=LIGHT).layout.xaxis
    assert (axis.tickangle, axis.tickmode) == (angle, mode)
    assert axis.tickfont.size == 14


@pytest.mark.parametrize(
    ("count", "title"), [(40, "token"), (60, "every 2nd token"), (120, "token, not all named: zoom in")]
)
def test_axes_say_which_tokens_have_a_name(count: int, title: str) -> None:
    labels = ["word"] * count
    bars = embedding_norm_bars({"word": np.ones(count)}, labels, theme=LIGHT)
    assert bars.layout.xaxis.title.text == title
    for cells in (
        norm_heat_map(np.ones((7, count)), labels, theme=LIGHT),
        cosine_heat_map([[1] * count], labels, theme=LIGHT),
    ):
        assert f"{title} →" in [note.text for note in cells.layout.annotations]


@pytest.mark.parametrize("count", range(8, 41))
def test_slanted_labels_stay_apart_in_a_small_window(count: int) -> None:
    axis = norm_heat_map(np.ones((7, count)), ["lighter"] * count, theme=LIGHT).layout.xaxis
    pitch = 500 / count  # pixels from one column to the next in a window of 1280
    assert axis.tickangle != -45 or pitch * math.cos(math.pi / 4) >= 15  # as high as a line of 14 pixels


@pytest.mark.parametrize("count", [5, 60, 128, 512])
def test_norm_heat_maps_fit_the_column(count: int) -> None:
    layout = norm_heat_map(np.ones((7, count)), ["flies"] * count, theme=LIGHT).layout
    assert layout.width <= 1080
    assert layout.xaxis.tickfont.size == 14
    assert layout.xaxis.tickmode == ("array" if count <= 14 else "linear" if count <= 64 else "auto")


def test_probabilities_keep_their_order_on_an_axis_from_0_to_1() -> None:
    figure = probability_bars(["yes", "no", "<b>x</b>"], [0.1, 0.7, 0.2], theme=LIGHT)
    bars, axis = figure.data[0], figure.layout.yaxis
    assert axis.range == (2.5, -0.5)
    assert (axis.tickvals, axis.ticktext) == ((0, 1, 2), ("yes", "no", "&lt;b&gt;x&lt;/b&gt;"))
    assert figure.layout.xaxis.range == (0, 1)
    assert bars.hovertext == ("<b>yes</b>", "<b>no</b>", "<b>&lt;b&gt;x&lt;/b&gt;</b>")
