"""The map of a word: points keep their places in every layer, and many are drawn by WebGL."""

import numpy as np
import pytest

from viz.figures.accuracies import accuracy_lines
from viz.figures.word_map import word_panels, word_scatter
from viz.theme import THEMES

LIGHT = THEMES["light"]


def test_the_slider_has_the_points_of_every_layer_at_one_scale() -> None:
    points = np.random.default_rng(0).normal(size=(3, 6, 2)) * np.array([1, 10, 0])[:, None, None]
    figure = word_scatter(points, {"b": [0, 2, 4], "a": [1, 3, 5]}, list("uvwxyz"), shown=1, theme=LIGHT)
    [slider] = figure.layout.sliders
    assert [step.label for step in slider.steps] == ["emb.", "L0", "L1"]
    assert slider.active == 1
    for state, step in enumerate(slider.steps):
        places, layout, traces = step.args
        assert (layout, list(traces)) == ({"selections": []}, [0, 1])
        size = np.sqrt(np.square(points[state]).sum(axis=1).mean()) or 1
        for members, x, y in zip(([0, 2, 4], [1, 3, 5]), places["x"], places["y"], strict=True):
            np.testing.assert_allclose(x, points[state, members, 0] / size, atol=1e-3)
            np.testing.assert_allclose(y, points[state, members, 1] / size, atol=1e-3)
            assert max(map(abs, x)) <= figure.layout.xaxis.range[1]
    assert [list(trace.x) for trace in figure.data] == slider.steps[1].args[0]["x"]
    assert list(figure.data[1].customdata) == ["v", "x", "z"]


def test_small_maps_have_the_points_of_their_layers_in_the_colours_of_the_slider() -> None:
    points = np.random.default_rng(0).normal(size=(2, 5, 2))
    groups = {"b": [0, 2, 4], "no label": [1], "a": [3]}
    panels = word_panels(points, groups, ["emb.", "L0"], chosen=1, muted=["no label"], theme=LIGHT)
    large = word_scatter(points, groups, list("vwxyz"), shown=1, muted=["no label"], theme=LIGHT)
    assert [note.text for note in panels.layout.annotations] == ["emb.", "<b>L0</b>"]
    assert [trace.xaxis for trace in panels.data] == ["x"] * 3 + ["x2"] * 3
    for small, wanted in zip(panels.data[3:], large.data, strict=True):
        np.testing.assert_allclose(small.x, wanted.x, atol=2e-3)
        np.testing.assert_allclose(small.y, wanted.y, atol=2e-3)
        assert (small.marker.color, small.marker.symbol) == (wanted.marker.color, wanted.marker.symbol)
    assert [trace.showlegend for trace in panels.data] == [True] * 3 + [False] * 3


@pytest.mark.parametrize(("count", "kind"), [(400, "scatter"), (401, "scattergl")])
def test_many_points_are_drawn_by_webgl(count: int, kind: str) -> None:
    figure = word_scatter(np.ones((2, count, 2)), {"a": list(range(count))}, ["t"] * count, shown=0, theme=LIGHT)
    assert figure.data[0].type == kind


def test_accuracies_stand_over_the_range_of_shuffled_labels() -> None:
    shuffled = np.array([[0.4, 0.5], [0.6, 0.3]])
    figure = accuracy_lines(
        {"nearest": [0.7, 0.9]},
        chosen=1,
        value="same",
        theme=LIGHT,
        shuffled={"nearest": shuffled},
        constant=("always the commonest", 0.6),
    )
    line, band, constant = figure.data
    assert list(constant.y) == [0.6, 0.6]
    np.testing.assert_allclose(line.y, [0.7, 0.9], rtol=1e-6)
    assert line.marker.size[1] > line.marker.size[0]
    np.testing.assert_allclose(band.y, [0.6, 0.5, 0.3, 0.4], rtol=1e-6)
