"""What the figures of similarity hand to Plotly."""

import numpy as np

from viz.figures.pairs import pair_lines, pair_map
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


def test_a_map_of_long_sentences_fits_the_page() -> None:
    words = [f"word{index}" for index in range(126)]
    long = pair_map(np.ones((126, 126)), words, words, theme=LIGHT)
    assert long.layout.width < 900
    assert long.layout.height < 1000
    wide = pair_map(np.ones((1, 126)), words[:1], words, theme=LIGHT)
    assert wide.layout.height < 300
    tall = [pair_map(np.ones((rows, 5)), words[:rows], words[:5], theme=LIGHT) for rows in (64, 65)]
    assert [len(figure.data) for figure in tall] == [2, 1]  # numbers have no room in rows that are thinner than they
    assert pair_map(np.ones((9, 1)), words[:9], words[:1], theme=LIGHT).layout.width > 260  # room for the colour bar


def test_zeros_can_be_drawn() -> None:
    assert pair_map([[0.0]], ["a"], ["b"], theme=LIGHT).data[0].zmax > 0


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
