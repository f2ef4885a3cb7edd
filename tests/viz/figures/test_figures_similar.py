"""What the figures of similarity hand to Plotly."""

import json

import numpy as np
import pytest

from encoder.errors import ShapeError
from viz.figures.pair_lines import pair_lines
from viz.figures.pair_map import pair_map
from viz.theme import THEMES

LIGHT = THEMES["light"]
VALUES = np.array([[0.5, -0.25, 0.0], [0.1, 0.2, -0.02]], np.float32)


def test_pairs_are_drawn_on_a_scale_around_zero_with_their_numbers() -> None:
    figure = pair_map(VALUES, ["a", "<b>dog</b>"], ["the", "dog", "</script>"], theme=LIGHT)
    cells, numbers = figure.data
    np.testing.assert_array_equal(cells.z, VALUES)
    assert (cells.zmin, cells.zmax) == (-0.5, 0.5)
    assert cells.colorscale == LIGHT.diverging
    assert list(numbers.text) == ["0.50", "−0.25", "0.00", "0.10", "0.20", "−0.02"]
    assert figure.layout.yaxis.ticktext == ("a", "&lt;b&gt;dog&lt;/b&gt;")
    assert figure.layout.xaxis.ticktext[2] == "&lt;/script&gt;"
    assert list(figure.layout.yaxis.tickvals) == [0, 1]
    assert cells.hovertext[1][2] == (
        "A: <b>&lt;b&gt;dog&lt;/b&gt;</b> · position 1<br>B: <b>&lt;/script&gt;</b> · position 2"
    )
    assert cells.hovertemplate == "%{hovertext}<br>adds to the cosine %{text}<extra></extra>"


def test_nothing_makes_the_browser_draw_a_map_of_few_pairs_a_second_time() -> None:
    sent = pair_map(VALUES, ["a", "dog"], ["the", "dog", "barks"], theme=LIGHT).to_plotly_json()
    assert "bdata" not in json.dumps(sent)
    assert sent["layout"]["datarevision"]
    assert "template" not in sent["layout"]
    assert "labelalias" not in sent["layout"]["xaxis"] | sent["layout"]["yaxis"]


@pytest.mark.parametrize("shape", [(3, 15), (65, 3)], ids=str)
def test_pairs_of_long_sentences_do_not_each_carry_their_words(shape: tuple[int, int]) -> None:
    a, b = ([f"word{index}" for index in range(count)] for count in shape)
    figure = pair_map(np.ones(shape), a, b, theme=LIGHT)
    assert figure.data[0].hovertext is None
    assert "A: %{y}<br>B: %{x}" in figure.data[0].hovertemplate
    assert figure.layout.xaxis.labelalias["2"] == "word2"
    assert figure.layout.yaxis.labelalias["+2"] == "<b>word2</b> · position 2"


def test_a_map_of_long_sentences_fits_the_page() -> None:
    words = [f"word{index}" for index in range(126)]
    long = pair_map(np.ones((126, 126)), words, words, theme=LIGHT)
    assert long.layout.width < 900
    assert long.layout.height < 1000
    wide = pair_map(np.ones((1, 126)), words[:1], words, theme=LIGHT)
    assert wide.layout.height < 300
    assert pair_map(np.ones((9, 1)), words[:9], words[:1], theme=LIGHT).layout.width > 260  # room for the colour bar


def test_zeros_can_be_drawn_and_other_shapes_cannot() -> None:
    assert pair_map([[0.0]], ["a"], ["b"], theme=LIGHT).data[0].zmax > 0
    with pytest.raises(ShapeError, match="words of B"):
        pair_map(VALUES, ["a", "b"], ["c"], theme=LIGHT)


def test_lines_join_the_words_of_strong_pairs() -> None:
    figure = pair_lines(VALUES, ["a", "<b>dog</b>"], ["the", "dog", "</script>"], theme=LIGHT)
    *lines, of_a, of_b = figure.data
    assert list(of_a.text) == ["a", "&lt;b&gt;dog&lt;/b&gt;"]
    assert list(of_a.y) == [0.5, 1.5]
    assert list(of_b.y) == [0, 1, 2]
    assert list(figure.layout.xaxis.range) == [of_a.x[0], of_b.x[0]]  # beyond it Plotly draws no text
    drawn = {(line.y[at], line.y[at + 1]): line for line in lines for at in range(0, len(line.y), 3)}
    assert set(drawn) == {(0.5, 0), (0.5, 1), (1.5, 0), (1.5, 1)}  # not those of 0 and -0.02
    assert drawn[0.5, 0].line.width > drawn[1.5, 1].line.width > drawn[1.5, 0].line.width
    blue, orange = LIGHT.diverging[-1][1], LIGHT.diverging[0][1]
    assert [drawn[pair].line.color for pair in ((0.5, 0), (0.5, 1))] == [blue, orange]
    assert len(pair_lines([[0.0]], ["a"], ["b"], theme=LIGHT).data) == 2
