"""What the figures of one score hand to Plotly."""

from numpy.testing import assert_allclose

from viz.figures.labels import text_width
from viz.figures.score_terms import term_bars, weights_without
from viz.theme import THEMES

LIGHT = THEMES["light"]


def test_terms_are_bars_from_top_to_bottom_on_the_scale_that_is_given() -> None:
    figure = term_bars(["L0 H1", "<b>word"], [0.5, -1.0], ["long", "short"], limits=(-2.0, 0.5), theme=LIGHT)
    (bars,) = figure.data
    assert_allclose(bars.x, [0.5, -1.0])
    assert bars.marker.color[0] != bars.marker.color[1]
    assert figure.layout.yaxis.ticktext == ("L0 H1  +0.50", "&lt;b&gt;word  −1.00")
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    assert figure.layout.xaxis.range == (-2, 0.5)
    assert bars.hovertext[0] == "<b>L0 H1</b><br>long"
    assert term_bars(["a"], [0.0], [""], limits=(0.0, 0.0), theme=LIGHT).layout.xaxis.range == (0, 0)


def test_a_term_that_rounds_to_zero_has_no_minus() -> None:
    figure = term_bars(["a", "b"], [-0.004, 0.0], ["", ""], limits=(-0.004, 0), theme=LIGHT)
    assert figure.layout.yaxis.ticktext == ("a  0.00", "b  0.00")
    assert figure.data[0].customdata == ("−0.0040", "0.0000")


def test_numbers_stand_next_to_the_names_however_narrow_the_column_is() -> None:
    names = ["embedding biases", "word embedding"]
    figure = term_bars(names, [-1.0, 3.0], ["", ""], limits=(-1, 3), theme=LIGHT)
    assert figure.data[0].text is None
    assert figure.layout.margin.l >= text_width("embedding biases  -1.00")
    assert figure.layout.xaxis.tickangle == 0


def test_a_mark_at_no_weight_lies_next_to_the_names() -> None:
    figure = weights_without(["query"], [0.0], [[]], weight=0.5, theme=LIGHT)
    assert figure.layout.yaxis.ticklen >= figure.data[1].marker.size / 2


def test_weights_stand_in_rows_next_to_the_original_weight() -> None:
    figure = weights_without(["query", "key"], [0.1, 0.4], [[0.2, 0.3], []], weight=0.25, theme=LIGHT)
    controls, largest = figure.data
    assert_allclose((controls.x, controls.y), ([0.2, 0.3], [0, 0]))
    assert_allclose((largest.x, largest.y), ([0.1, 0.4], [0, 1]))
    assert controls.marker.symbol != largest.marker.symbol
    assert figure.layout.shapes[0].x0 == 0.25
    assert "0.2500" in figure.layout.annotations[0].text
    assert figure.layout.xaxis.range[0] == 0
    assert figure.layout.xaxis.range[1] > 0.4
