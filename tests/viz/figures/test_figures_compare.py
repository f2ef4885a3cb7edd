"""What the figures of two runs hand to Plotly."""

import json

import numpy as np

from viz.figures.aligned_words import aligned_words
from viz.figures.differences import LEAST, difference_map
from viz.figures.matrix import decimals
from viz.theme import THEMES

LIGHT = THEMES["light"]
A, B = ["the", "<b>key</b>", None, "is"], ["the", None, "keys", "is"]


def test_words_stand_above_what_they_are_aligned_with() -> None:
    figure = aligned_words(A, B, names=("A", "B"), theme=LIGHT)
    names, first, second = figure.data
    assert names.text == ("A", "B")
    assert first.text == ("the", "&lt;b&gt;key&lt;/b&gt;", "is")
    assert second.text == ("the", "keys", "is")
    assert (first.x[0], first.x[2]) == (second.x[0], second.x[2])
    assert first.y[0] < second.y[0]


def test_gaps_are_dashed_and_words_of_one_text_alone_framed_in_its_colour() -> None:
    above, below = np.array_split(aligned_words(A, B, names=("A", "B"), theme=LIGHT).layout.shapes, 2)
    assert [box.line.dash for box in above] == [None, None, "dot", None]
    assert [box.line.dash for box in below] == [None, "dot", None, None]
    assert (above[1].line.color, below[2].line.color) == (LIGHT.sentence("A"), LIGHT.sentence("B"))
    assert above[0].line.color == LIGHT.border


def test_long_texts_go_on_in_the_next_pair_of_rows() -> None:
    figure = aligned_words(["word"] * 128, ["word"] * 128, names=("all heads", "silenced"), theme=LIGHT, width=600)
    assert max(box.x1 for box in figure.layout.shapes) <= 600
    assert len(figure.data[0].text) == 2 * len(set(figure.data[1].y))
    assert figure.layout.height > 1000


def test_differences_are_centred_on_zero_and_gaps_are_empty() -> None:
    values = np.array([[0.1, np.nan, -0.3], [np.nan] * 3, [0, np.nan, -0.001]], np.float32)
    figure = difference_map(values, ["a", "+b", "c"], theme=LIGHT)
    cells, numbers = figure.data
    assert (cells.zmin, cells.zmax) == (-np.float32(0.3), np.float32(0.3))
    assert cells.colorscale[8] == (0.5, LIGHT.background)
    assert list(numbers.text) == ["+0.10", "", "−0.30", "", "", "", "0.00", "", "0.00"]
    assert cells.z.dtype == np.float32  # of an empty cell in a list, hover would say 0
    assert cells.hovertemplate.startswith("%{y}<br>looks at %{x}<br>")
    assert figure.layout.plot_bgcolor == LIGHT.secondary_background


def test_a_difference_names_query_and_key() -> None:
    cells = difference_map([[0.0, -0.00001], [0.25, -0.25]], ["a", "+b"], theme=LIGHT).data[0]
    assert cells.hovertext[0][1] == "<b>a</b> · position 0<br>looks at <b>+b</b> · position 1"
    assert cells.hovertemplate == "%{hovertext}<br>difference of attention %{text}<extra></extra>"
    assert [list(row) for row in cells.text] == [["0.0000", "0.0000"], ["+0.2500", "−0.2500"]]


def test_small_differences_are_written_with_a_decimal_more() -> None:
    figure = difference_map([[0.0, -0.022], [0.004, 0.0]], ["a", "b"], theme=LIGHT)
    assert list(figure.data[1].text) == ["0.000", "−0.022", "+0.004", "0.000"]
    assert difference_map(np.zeros((2, 2)), ["a", "b"], theme=LIGHT).data[1].text[0] == "0.00"
    assert decimals(0.02, cell_width=40) == decimals(0.3, cell_width=64) == 2


def test_the_pinned_row_and_column_are_framed_from_end_to_end() -> None:
    def frames(query: int | None, key: int | None) -> list[tuple[float, ...]]:
        figure = difference_map(np.zeros((3, 3)), ["a", "b", "c"], pinned=(query, key), theme=LIGHT)
        return [(shape.x0, shape.x1, shape.y0, shape.y1) for shape in figure.layout.shapes]

    row, column = (-0.5, 2.5, 1.5, 2.5), (-0.5, 0.5, -0.5, 2.5)
    assert frames(2, 0) == [*frames(None, None), row, column]
    assert frames(None, 0) == [*frames(None, None), column]


def test_no_difference_is_no_pattern() -> None:
    figure = difference_map(np.full((2, 2), 1e-7), ["a", "b"], theme=LIGHT)
    assert figure.data[0].zmax == LEAST


def test_512_words_fit() -> None:
    figure = difference_map(np.zeros((512, 512)), ["word"] * 512, theme=LIGHT)
    assert figure.layout.width < 800
    assert figure.layout.height < 900
    assert len(json.dumps(figure.to_dict(), default=lambda array: array.tolist())) < 2_000_000
