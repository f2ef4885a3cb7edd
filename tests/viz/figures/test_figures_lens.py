"""What the figures of the word lens hand to Plotly."""

from functools import partial

import numpy as np
import pytest

from encoder.errors import ShapeError
from encoder.measures.similarity import reference_band
from viz.figures.class_probabilities import belief_bars, likeliest_classes
from viz.figures.divergence import divergence_lines
from viz.figures.effects import ROOM, effect_map
from viz.figures.profiles import profile_bars
from viz.figures.sense_map import sense_scatter
from viz.theme import THEMES, Theme, contrast

LIGHT = THEMES["light"]
BAND = reference_band(np.random.default_rng(0).normal(size=(8, 4, 5)).astype(np.float32), ["w"] * 8, ["x", "y"] * 4)
CURVE = np.array([1.0, 0.9, 0.5, 0.2])


def test_the_band_and_the_layer_of_divergence_are_marked() -> None:
    figure = divergence_lines(CURVE, band=BAND, diverged=1, silenced=CURVE / 2, theme=LIGHT)
    by_name = {trace.name: trace for trace in figure.data if trace.name}
    assert f"one sense ({BAND.n_same} pairs)" in by_name
    np.testing.assert_array_equal(by_name[f"two senses ({BAND.n_different} pairs)"].y, BAND.different[:, 1])
    assert figure.layout.shapes[0].x0 == 2  # after L1
    assert figure.layout.annotations[0].text == "diverged from L1"
    low, high = figure.layout.yaxis.range
    assert low < min(CURVE.min() / 2, BAND.different.min())
    assert high > 1
    assert figure.layout.xaxis.ticktext == ("emb.", "L0", "L1", "L2")
    assert by_name["this word in A and B"].hovertext == ("embeddings", "after L0", "after L1", "after L2")


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_words_and_numbers_within_bars_are_read_on_the_bars_own_colour(theme: Theme) -> None:
    classes = [f"class {index}" for index in range(len(theme.class_colours))]
    beliefs = np.full((2, len(classes)), 1 / len(classes))
    stacked = belief_bars(
        beliefs, classes, shown=range(len(classes)), accuracy=[0, 1], control_accuracy=[0, 1], theme=theme
    )
    for bars in stacked.data:
        assert contrast(bars.textfont.color, bars.marker.color) >= 4.5
    for colour in theme.head_colours:
        column, row, _ = profile_bars([0.2], [0.4], ["a"], word=0, colour=colour, theme=theme).data
        assert min(contrast(bars.insidetextfont.color, colour) for bars in (column, row)) >= 4.5


def test_bars_run_from_the_words_to_both_sides_on_one_scale() -> None:
    figure = profile_bars([0.2, 0.8], [0.4, 0.1], ["<b>a</b>", "flies"], word=1, colour="#123456", theme=LIGHT)
    column, row, words = figure.data
    np.testing.assert_allclose(column.x, [0.4, 0.1])
    np.testing.assert_allclose(row.x, [0.2, 0.8])
    assert figure.layout.xaxis.range == tuple(reversed(figure.layout.xaxis2.range))
    assert words.text == ("&lt;b&gt;a&lt;/b&gt;", "<b>flies</b>")
    assert column.y == row.y == words.y == (0, 1)
    assert [note.text for note in figure.layout.annotations] == ["← looks at it", "it looks at →"]


def test_bars_of_a_layer_sum_to_one_and_name_the_probes_accuracy() -> None:
    probabilities = np.array([[0.7, 0.2, 0.1], [0.05, 0.9, 0.05]])
    figure = belief_bars(
        probabilities,
        ["NOUN", "VERB", "X"],
        shown=(1, 0),
        accuracy=[0.9, 0.95],
        control_accuracy=[0.5, 0.4],
        theme=LIGHT,
    )
    assert [bar.name for bar in figure.data] == ["VERB", "NOUN", "other"]
    np.testing.assert_allclose(sum(np.asarray(bar.y) for bar in figure.data), 1, atol=1e-6)
    np.testing.assert_allclose(figure.data[2].y, [0.1, 0.05], atol=1e-6)
    assert list(figure.layout.xaxis.ticktext) == ["emb.<br>90 %<br>+40", "L0<br>95 %<br>+55"]
    assert figure.data[1].text == ("NOUN", "")
    assert (figure.layout.uniformtext.minsize, figure.layout.uniformtext.mode) == (11, "hide")  # none smaller


def test_coloured_classes_reach_the_highest_probability_in_either() -> None:
    a, b = np.array([[0.6, 0.3, 0.1, 0.0]]), np.array([[0.1, 0.1, 0.8, 0.0]])
    assert likeliest_classes([a, b], 2) == (2, 0)


def test_every_head_is_a_point_that_names_itself() -> None:
    effects = np.array([[0.1, -0.4], [0.0, 0.2], [0.3, 0.0]])
    figure = effect_map(
        effects,
        np.abs(effects) > 0.25,
        name="change",
        number_format="+.2f",
        signed=True,
        high=0.8,
        limit=0.25,
        chosen=(2, 0),
        theme=LIGHT,
    )
    points, tiles = figure.data
    np.testing.assert_allclose(points.marker.color, effects.ravel(), rtol=1e-6)
    np.testing.assert_allclose(tiles.z, effects, rtol=1e-6)
    assert list(zip(points.y, points.x, strict=True)) == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
    assert points.text[3] == "L1 H1"
    assert points.customdata == ("+0.10", "−0.40", "0.00", "+0.20", "+0.30", "0.00")
    assert (tiles.colorbar.tickvals, tiles.colorbar.ticktext) == ((-0.8, 0, 0.8), ("−0.80", "0", "+0.80"))
    assert (tiles.zmin, tiles.zmax) == (-0.8, 0.8)
    assert "at most +0.25" in points.hovertemplate
    *beyond, inner, chosen = figure.layout.shapes
    assert [(round(frame.y0 + 0.45), round(frame.x0 + 0.45)) for frame in (*beyond, chosen)] == [(0, 1), (2, 0), (2, 0)]
    assert [frame.line.dash for frame in (*beyond, chosen)] == [None, None, "dot"]
    assert inner.line.color == LIGHT.background  # on a strong colour the other one is hardly seen
    assert chosen.x0 < inner.x0 < inner.x1 < chosen.x1


def test_pictures_lie_within_the_tiles_of_their_heads() -> None:
    pictures = np.arange(2 * 3 * 2 * 2, dtype=np.float32).reshape(2, 3, 2, 2) - 12
    effects = np.array([[-12, -8, -4], [3, 7, 11]], np.float32)
    draw = partial(effect_map, name="", number_format=".1f", signed=True, high=12, theme=LIGHT)
    figure = draw(effects, effects > 10, pictures=pictures)
    points, tiles = figure.data
    np.testing.assert_allclose(points.marker.color, effects.ravel(), rtol=1e-6)
    assert (tiles.x0, tiles.dx, tiles.y0, tiles.dy) == (-0.25, 0.5, -0.25, 0.5)
    for layer, head in np.ndindex(2, 3):
        at = tiles.z[2 * layer : 2 * layer + 2, 2 * head : 2 * head + 2]
        np.testing.assert_allclose(at, pictures[layer, head])
    borders, frames = figure.layout.shapes[:3], figure.layout.shapes[3:]
    assert [(line.x0, line.y0) for line in borders] == [(-0.5, 0.5), (0.5, -0.5), (1.5, -0.5)]
    assert [(round(frame.y0 + 0.45), round(frame.x0 + 0.45)) for frame in frames] == [(1, 2)]
    with pytest.raises(ShapeError, match="each head"):
        draw(effects, effects > 10, pictures=pictures[:1])


def test_a_map_of_heads_fits_the_room_that_it_is_given() -> None:
    effects = np.zeros((6, 12))
    sizes = [
        effect_map(
            effects, effects > 0, name="", number_format=".2f", signed=False, high=1, theme=LIGHT, room=room
        ).layout
        for room in (ROOM, 240)
    ]
    assert [(size.width, size.height) for size in sizes] == [(432, 298), (300, 232)]


def test_unsigned_effects_start_at_zero_and_zeros_have_a_scale() -> None:
    def scale(effects: np.ndarray) -> tuple[float, float]:
        marks = np.zeros(effects.shape, bool)
        high = float(effects.max())
        figure = effect_map(effects, marks, name="distance", number_format=".3f", signed=False, high=high, theme=LIGHT)
        return figure.data[1].zmin, figure.data[1].zmax

    assert scale(np.array([[0.0, 0.5]])) == (0, 0.5)
    assert scale(np.zeros((1, 1))) == (0, 1)


def test_senses_and_sentences_have_their_own_colour_and_symbol() -> None:
    points = np.arange(10.0).reshape(5, 2)
    groups = ["A", "B", "fly:verb", "<i>", "fly:verb"]
    hover = [f"text {at}" for at in range(5)]
    figure = sense_scatter(points, groups, hover, explained=[0.5, 0.25], theme=LIGHT)
    by_name = {trace.name: trace for trace in figure.data}
    assert list(by_name) == ["fly:verb", "&lt;i&gt;", "sentence A", "sentence B"]
    np.testing.assert_allclose(by_name["fly:verb"].x, [4, 8])
    assert by_name["fly:verb"].customdata == ("text 2", "text 4")
    assert len({(trace.marker.color, trace.marker.symbol) for trace in figure.data}) == 4
    assert "50% of the variance" in figure.layout.xaxis.title.text
