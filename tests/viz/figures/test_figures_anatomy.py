"""What the figures of the anatomy hand to Plotly."""

import numpy as np
import pytest

from encoder.measures.cost import add_up_quadratic_parts, count_operations
from encoder.transformer.config import PRESETS
from viz.figures.anatomy import tensor_band, tensor_square
from viz.figures.anatomy_curves import activation_lines, share_bars
from viz.figures.cost import operation_lines, parameter_bars
from viz.theme import THEMES, ThemeName, contrast

LIGHT = THEMES["light"]
LABELS = ["[CLS]", "flies", "flies", "<b>x</b>"]
BAND = np.linspace(-3, 3, 4 * 24).reshape(4, 24)


def test_a_band_has_every_number_around_zero_and_separates_its_heads() -> None:
    figure = tensor_band(BAND, LABELS, theme=LIGHT, title="<i>Q</i>", limit=2.0, axis="unit", head_width=8)
    (cells,) = figure.data
    np.testing.assert_allclose(cells.z, BAND, rtol=1e-6)
    assert (cells.zmin, cells.zmax) == (-2, 2)
    assert [stop[1] for stop in cells.colorscale] == [colour for _, colour in LIGHT.diverging]
    assert cells.colorscale[len(cells.colorscale) // 2] == (0.5, LIGHT.background)
    assert cells.colorbar.tickvals == (-2, 0, 2)
    assert figure.layout.width is None
    assert figure.layout.yaxis.range == (3.5, -0.5)
    assert [figure.layout.yaxis.labelalias[str(row)] for row in (1, 2, 3)] == ["flies", "flies", "&lt;b&gt;x&lt;/b&gt;"]
    assert figure.layout.annotations[0].text == "&lt;i&gt;Q&lt;/i&gt;"
    assert figure.layout.xaxis.title.text == "unit"
    assert [(shape.type, shape.x0, shape.x1) for shape in figure.layout.shapes] == [
        ("line", 7.5, 7.5),
        ("line", 15.5, 15.5),
    ]


def test_a_part_of_a_band_keeps_its_places_in_the_whole() -> None:
    part = BAND[2:, 10:20]
    figure = tensor_band(
        part, LABELS[2:], theme=LIGHT, title="C", limit=1, head_width=8, head=1, first=(2, 10), marked=(3, 12)
    )
    (cells,) = figure.data
    assert (cells.x0, cells.dx, cells.y0, cells.dy) == (10, 1, 2, 1)
    assert figure.layout.xaxis.range == (9.5, 19.5)
    assert figure.layout.yaxis.range == (3.5, 1.5)
    assert figure.layout.yaxis.labelalias["2"] == "flies"
    assert figure.layout.yaxis.labelalias["+2"] == "<b>flies</b> · position 2"
    shapes = [(shape.type, shape.x0, shape.x1, shape.y0, shape.y1) for shape in figure.layout.shapes]
    assert shapes == [
        ("line", 15.5, 15.5, 0, 1),
        ("rect", 9.5, 15.5, 1.5, 3.5),  # as much of head 1 as there is
        ("rect", 9.5, 19.5, 2.5, 3.5),
        ("line", 12, 12, 0, 1),
    ]


@pytest.mark.parametrize(
    ("marked", "frame"),
    [((6, 9), (8.5, 9.5, 5.5, 6.5)), ((6, None), (7.5, 11.5, 5.5, 6.5)), ((None, 9), (8.5, 9.5, 4.5, 7.5))],
)
def test_a_part_of_a_square_keeps_its_places_in_the_whole(
    marked: tuple[int | None, int | None], frame: tuple[float, ...]
) -> None:
    figure = tensor_square(
        np.full((3, 4), 0.25),
        LABELS[1:],
        LABELS,
        theme=LIGHT,
        title="A",
        first=(5, 8),
        sentence_b_start=7,
        marked=marked,
    )
    cells, numbers = figure.data
    assert (cells.x, cells.y) == ((8, 9, 10, 11), (5, 6, 7))
    assert (numbers.x[:5], numbers.y[:5]) == ((8, 9, 10, 11, 8), (5, 5, 5, 5, 6))
    assert tuple(figure.layout.xaxis.range) == (7.5, 11.5)
    assert tuple(figure.layout.yaxis.range) == (7.5, 4.5)
    assert figure.layout.yaxis.tickvals == (5, 6, 7)
    assert figure.layout.yaxis.ticktext == ("flies", "flies", "&lt;b&gt;x&lt;/b&gt;")
    assert cells.hovertext[0][3] == ("from <b>flies</b> · position 5<br>to <b>&lt;b&gt;x&lt;/b&gt;</b> · position 11")
    assert cells.hovertemplate == "%{hovertext}<br>weight %{text}<extra></extra>"
    assert cells.text[0][3] == "0.2500"
    divide, shape = figure.layout.shapes  # sentence B starts among the queries alone
    assert (divide.y0, divide.y1) == (6.5, 6.5)
    assert (shape.x0, shape.x1, shape.y0, shape.y1) == frame


@pytest.mark.parametrize("rows", [1, 13, 40])
def test_rows_of_a_band_are_as_high_as_their_labels(rows: int) -> None:
    figure = tensor_band(np.ones((rows, 8)), ["flies"] * rows, theme=LIGHT, title="", limit=1, room=(640, 300))
    margin = figure.layout.margin
    pitch = (figure.layout.height - margin.t - margin.b) / rows
    assert pitch >= figure.layout.yaxis.tickfont.size >= 12
    assert figure.layout.height <= 300 or pitch == 12


@pytest.mark.parametrize("count", [14, 19, 25, 38, 43])
def test_column_labels_of_two_squares_side_by_side_do_not_overlap(count: int) -> None:
    """A figure wider than its column is squeezed by the page, and its labels with it."""
    keys = ["boats"] * count
    figure = tensor_square(np.ones((count, count)), keys, keys, theme=LIGHT, title="A", room=(390, 300))
    margin, axis = figure.layout.margin, figure.layout.xaxis
    assert figure.layout.width <= 390
    cell = (figure.layout.width - margin.l - margin.r) / count
    height = axis.tickfont.size * (1 if axis.tickangle == -90 else 1.41)
    assert axis.tickangle == 0 or cell * axis.dtick >= height
    titles = [note.text for note in figure.layout.annotations]
    assert ("key →" in titles) == (axis.dtick == 1)


def test_scores_are_drawn_around_zero_and_masked_ones_are_empty() -> None:
    scores = np.array([[1.5, -np.inf, 0, 2], [-2.5, 1, -np.inf, 0], [0, 0, 0, 0], [9, 1, 1, 1]])
    figure = tensor_square(scores, LABELS, LABELS, theme=LIGHT, title="S", limit=4, marked=(1, 0), sentence_b_start=2)
    cells, numbers = figure.data
    assert (cells.zmin, cells.zmax) == (-4, 4)
    assert np.isnan(cells.z[0, 1])
    assert cells.z[3, 0] == 9
    assert list(numbers.text[:8]) == ["1.5", "", "0.0", "2.0", "−2.5", "1.0", "", "0.0"]
    assert [stop[1] for stop in cells.colorscale] == [colour for _, colour in LIGHT.diverging]
    frame = figure.layout.shapes[-1]
    assert (frame.type, frame.x0, frame.x1, frame.y0, frame.y1) == ("rect", -0.5, 0.5, 0.5, 1.5)
    assert len(figure.layout.shapes) == 3


@pytest.mark.parametrize("name", ["light", "dark"])
def test_numbers_are_readable_on_every_colour_of_the_diverging_scale(name: ThemeName) -> None:
    theme = THEMES[name]
    values = np.linspace(-1, 1, 16).reshape(4, 4)
    _, numbers = tensor_square(values, LABELS, LABELS, theme=theme, title="", limit=1).data
    papers = [theme.diverging[round((value + 1) / 2 * 16)][1] for value in values.ravel()]
    inks = numbers.textfont.color
    assert min(contrast(ink, paper) for ink, paper in zip(inks, papers, strict=True)) >= 4


# Curves


def test_activations_stand_over_the_inputs_of_the_text() -> None:
    at = np.linspace(-4, 4, 9)
    figure = activation_lines(np.array([-1, -1, 2, 9]), {"ReLU": (at, np.maximum(at, 0))}, theme=LIGHT)
    bars, curve = figure.data
    assert bars.y.sum() == pytest.approx(0.75)  # the input of 9 lies beyond the curve
    assert bars.y.max() == pytest.approx(0.5)
    np.testing.assert_array_equal(curve.y, np.maximum(at, 0))


def test_shares_are_stacked_up_to_1() -> None:
    figure = share_bars({"open": [0.2, 0.3, 0, 1], "leaks": [0.5, 0.1, 0, 0]}, LABELS, theme=LIGHT)
    assert figure.layout.barmode == "stack"
    assert figure.layout.yaxis.range == (0, 1)
    np.testing.assert_allclose(figure.data[1].y, [0.5, 0.1, 0, 0])
    assert figure.layout.xaxis.labelalias["3"] == "&lt;b&gt;x&lt;/b&gt;"
    assert figure.data[1].marker.pattern.shape != figure.data[0].marker.pattern.shape


def test_parameters_are_shares_and_say_their_numbers() -> None:
    figure = parameter_bars({"word": [10, 30], "norms": [30, 10]}, ["tiny", "<b>"], theme=LIGHT)
    assert [list(bar.x) for bar in figure.data] == [[0.25, 0.75], [0.75, 0.25]]
    assert list(figure.data[0].customdata) == [10, 30]
    assert list(figure.data[0].y) == ["tiny", "&lt;b&gt;"]


def test_the_lines_cross_where_the_mark_stands() -> None:
    config = PRESETS["bert-base"]
    lengths = np.array([512, 3072, 4096])
    figure = operation_lines(
        add_up_quadratic_parts(count_operations(config, lengths)), lengths, theme=LIGHT, crossing=3072, longest=512
    )
    lines = {line.name: line.y for line in figure.data}
    assert lines["scores and context"][1] == lines["feed-forward"][1]
    assert lines["scores and context"][2] > lines["feed-forward"][2]
    assert [shape.x0 for shape in figure.layout.shapes] == [3072, 512]
    assert [note.x for note in figure.layout.annotations] == pytest.approx(np.log10([3072, 512]).tolist())
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
