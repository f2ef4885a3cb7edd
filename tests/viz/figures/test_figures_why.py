"""What the figures of attributions hand to Plotly."""

import numpy as np

from viz.figures.axes import RING
from viz.figures.removal_curves import removal_curves
from viz.figures.word_values import word_picture
from viz.theme import THEMES, contrast

LIGHT = THEMES["light"]
WORDS, VALUES = ["not", "a", "<b>lovely</b>", "film"], [-2.0, 0.004, 1.0, np.nan]


def test_every_word_stands_on_the_colour_of_its_value() -> None:
    figure = word_picture(VALUES, WORDS, unit="log odds", theme=LIGHT)
    names, numbers, legend, ends = figure.data
    assert names.text[2] == "<b>&lt;b&gt;lovely&lt;/b&gt;</b>"
    assert numbers.text == ("−2.00", "0.00", "+1.00", "")
    assert "−2.0000 log odds" in names.hovertemplate[0]
    assert "asked about" in names.hovertemplate[3]
    boxes = figure.layout.shapes
    assert boxes[0].fillcolor == LIGHT.diverging[0][1]
    assert boxes[2].fillcolor != boxes[1].fillcolor
    assert boxes[3].line.width > boxes[0].line.width
    assert (legend.zmin, legend.zmax) == (-2, 2)
    assert ends.text == ("lowers it −2.00", "+2.00 raises it (log odds)")


def test_text_can_be_read_on_every_colour() -> None:
    for theme in THEMES.values():
        values = np.linspace(-1, 1, 41)
        figure = word_picture(values, ["word"] * 41, unit="", theme=theme)
        for ink, box in zip(figure.data[0].textfont.color, figure.layout.shapes, strict=True):
            assert contrast(ink, box.fillcolor) > 4.5


def test_long_texts_go_on_in_the_next_line() -> None:
    figure = word_picture(np.ones(128), ["word"] * 128, unit="", theme=LIGHT, width=600)
    assert max(box.x1 for box in figure.layout.shapes) <= 600
    lines = {box.y0 for box in figure.layout.shapes}
    assert len(lines) > 10
    assert figure.layout.height > 54 * len(lines)


def test_a_second_text_begins_a_line() -> None:
    figure = word_picture(np.ones(5), ["word"] * 5, unit="", theme=LIGHT, second=2)
    boxes = figure.layout.shapes
    assert [box.y0 for box in boxes] == [boxes[0].y0] * 2 + [boxes[2].y0] * 3
    assert boxes[2].y0 > boxes[0].y0
    assert boxes[2].x0 == boxes[0].x0


def test_removed_words_are_struck_through() -> None:
    figure = word_picture(VALUES, WORDS, unit="", theme=LIGHT, removed=(1,))
    (strike,) = (shape for shape in figure.layout.shapes if shape.type == "line")
    box = figure.layout.shapes[1]
    assert box.x0 < strike.x0 < strike.x1 < box.x1


def test_words_that_a_stop_points_at_are_ringed() -> None:
    figure = word_picture(VALUES, WORDS, unit="", theme=LIGHT, ringed=(1, 3))
    rings = [shape for shape in figure.layout.shapes if shape.name == RING]
    assert len(rings) == 2
    for ring, box in zip(rings, (figure.layout.shapes[1], figure.layout.shapes[3]), strict=True):
        assert box.x0 < ring.x0 < ring.x1 < box.x1
        assert box.y0 < ring.y0 < ring.y1 < box.y1


def test_the_legend_counts_the_random_orders_that_are_drawn() -> None:
    figure = removal_curves([1.0, 0.5], (0, 1), unit="", theme=LIGHT, random=np.ones((7, 2)))
    assert [trace.name for trace in figure.data if trace.showlegend] == ["7 random orders", "their mean", "this order"]
