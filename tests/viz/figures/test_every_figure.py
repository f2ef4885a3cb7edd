"""What holds for every figure: it is rendered once, arrays that do not fit are refused, and inputs stay as they are."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import numpy as np
import plotly.graph_objects as go
import pytest

from encoder.errors import ShapeError
from encoder.measures.similarity import reference_band
from viz.figures.accuracies import accuracy_lines
from viz.figures.aligned_words import aligned_words
from viz.figures.anatomy import tensor_band, tensor_square
from viz.figures.anatomy_curves import share_bars
from viz.figures.class_probabilities import belief_bars
from viz.figures.cost import operation_lines, parameter_bars
from viz.figures.differences import difference_map, word_distance_map
from viz.figures.divergence import divergence_lines
from viz.figures.effects import effect_map
from viz.figures.link_curves import link_curves
from viz.figures.mean_dots import mean_dots
from viz.figures.norms import cosine_heat_map, embedding_norm_bars, norm_heat_map
from viz.figures.pairs import pair_lines, pair_map
from viz.figures.patching import patched_probability_lines, patched_token_map, patching_lines
from viz.figures.predictions import probability_bars
from viz.figures.profiles import profile_bars
from viz.figures.removal_curves import removal_curves
from viz.figures.score_terms import term_bars, weights_without
from viz.figures.sense_map import sense_scatter
from viz.figures.tagged_words import tagged_words
from viz.figures.word_map import word_scatter
from viz.figures.word_values import word_picture
from viz.figures.words_by_layer import words_by_layer
from viz.theme import THEMES, Theme

LIGHT = THEMES["light"]
COLOUR = r"#[0-9A-Fa-f]{6}\b|rgba?\([^)]*\)|\"datarevision\": \"?\w+\"?"  # or what names their revision
CURVE = np.array([1.0, 0.9, 0.5, 0.2])
BAND = reference_band(np.random.default_rng(0).normal(size=(8, 4, 5)).astype(np.float32), ["w"] * 8, ["x", "y"] * 4)
MAPS = np.random.default_rng(0).normal(size=(2, 3, 2))
SQUARE, ABC = np.linspace(-0.5, 1, 9).reshape(3, 3), ["a", "b", "c"]
FIGURES = {
    "aligned words": lambda theme: aligned_words(["a", None], ["a", "b"], names=("A", "B"), theme=theme),
    "square": lambda theme: tensor_square(SQUARE, ABC, ABC, theme=theme, title="A", marked=(0, 1)),
    "beliefs": lambda theme: belief_bars(
        np.eye(2), ["N", "X"], shown=(1,), accuracy=[0, 1], control_accuracy=[0, 1], theme=theme
    ),
    "differences": lambda theme: difference_map(SQUARE, ABC, pinned=(1, 2), theme=theme),
    "word distances": lambda theme: word_distance_map(SQUARE, ABC, name="cosine distance", theme=theme),
    "divergence": lambda theme: divergence_lines(CURVE, band=BAND, diverged=1, theme=theme),
    "effects": lambda theme: effect_map(
        SQUARE, SQUARE > 0, name="", number_format="", signed=True, high=1, theme=theme
    ),
    "mean dots": lambda theme: mean_dots(
        SQUARE[0],
        SQUARE[:, :2],
        ABC,
        [1, 2, 3],
        title="",
        number_format="+.1f",
        theme=theme,
        filled=SQUARE[0] > 0,
        legend=("", ""),
        control=("", SQUARE[:, 1:]),
    ),
    "links": lambda theme: link_curves(
        CURVE, (0, 1, 2, 9), unit="", theme=theme, cut=CURVE, weights=CURVE, random=np.ones((2, 4)), marked=2
    ),
    "norms": lambda theme: norm_heat_map(SQUARE, ABC, theme=theme),
    "cosines": lambda theme: cosine_heat_map(SQUARE, ABC, theme=theme),
    "pairs": lambda theme: pair_map(SQUARE, ABC, ABC, theme=theme),
    "pair lines": lambda theme: pair_lines(SQUARE, ABC, ABC, theme=theme),
    "patching": lambda theme: patching_lines(CURVE, CURVE, first_state_nearer_to_a=1, theme=theme),
    "patched probabilities": lambda theme: patched_probability_lines(np.eye(2), ["N", "X"], shown=(1,), theme=theme),
    "patched tokens": lambda theme: patched_token_map(SQUARE, ABC, unit="log-odds", theme=theme),
    "probabilities": lambda theme: probability_bars(ABC, CURVE[:3], theme=theme),
    "profile": lambda theme: profile_bars([0.2], [0.4], ["a"], word=0, colour="#123456", theme=theme),
    "removals": lambda theme: removal_curves(
        CURVE, range(4), unit="", theme=theme, random=np.ones((20, 4)), greedy=CURVE
    ),
    "terms": lambda theme: term_bars(["a"], [1.0], [""], limits=(0, 1), theme=theme),
    "weights without": lambda theme: weights_without(["a"], [0.1], [[]], weight=0.1, theme=theme),
    "senses": lambda theme: sense_scatter(np.eye(2), ["A", "x"], ["", ""], explained=[0.5, 0.25], theme=theme),
    "tags": lambda theme: tagged_words(["a"], [["N"]], marked=[True], hover=["a"], theme=theme),
    "words by layer": lambda theme: words_by_layer([ABC] * 3, np.abs(SQUARE), rows=ABC, theme=theme),
    "word map": lambda theme: word_scatter(MAPS, {"x": [0, 2], "y": [1]}, ABC, shown=1, muted=["y"], theme=theme),
    "accuracies": lambda theme: accuracy_lines(
        {"a": CURVE}, chosen=1, value="", theme=theme, shuffled={"a": np.ones((2, 4))}, constant=("b", 0.5)
    ),
    "words": lambda theme: word_picture(CURVE, [*ABC, "d"], unit="log odds", theme=theme),
}
MISFITS = {
    "aligned words": lambda: aligned_words(ABC, ABC[:2], names=("A", "B"), theme=LIGHT),
    "band of one axis": lambda: tensor_band(CURVE, ABC, theme=LIGHT, title="", limit=1),
    "band without a limit": lambda: tensor_band(SQUARE, ABC, theme=LIGHT, title="", limit=0),
    "a point in no group": lambda: word_scatter(MAPS, {"x": [0, 2]}, ABC, shown=0, theme=LIGHT),
    "texts of points": lambda: word_scatter(MAPS, {"x": [0, 1, 2]}, ABC[:2], shown=0, theme=LIGHT),
    "keys": lambda: tensor_square(SQUARE, ABC, ABC[:2], theme=LIGHT, title=""),
    "shares": lambda: share_bars({"open": [0.5]}, ABC, theme=LIGHT),
    "no parts": lambda: parameter_bars({}, ["tiny"], theme=LIGHT),
    "a model of nothing": lambda: parameter_bars({"word": [0]}, ["tiny"], theme=LIGHT),
    "lengths": lambda: operation_lines({"a": [1, 2]}, [1], theme=LIGHT, crossing=4, longest=4),
    "word distances": lambda: word_distance_map(SQUARE, ["a"], name="", theme=LIGHT),
    "another model's band": lambda: divergence_lines(CURVE[:3], band=BAND, theme=LIGHT),
    "mean dots": lambda: mean_dots(SQUARE[0], SQUARE[:, :2], ABC, [1], title="", number_format="", theme=LIGHT),
    "control": lambda: mean_dots(
        SQUARE[0],
        SQUARE[:, :2],
        ABC,
        [1, 2, 3],
        title="",
        number_format="",
        theme=LIGHT,
        control=("", SQUARE[:2, 1:]),
    ),
    "silenced": lambda: divergence_lines(CURVE, silenced=CURVE[:3], theme=LIGHT),
    "profile": lambda: profile_bars([0.2], [0.4], ["a", "b"], word=0, colour="#123456", theme=LIGHT),
    "marks": lambda: effect_map(SQUARE, SQUARE[:1] > 0, name="", number_format="", signed=True, high=1, theme=LIGHT),
    "groups": lambda: sense_scatter(np.eye(2), ["A"], ["", ""], explained=[0.5, 0.25], theme=LIGHT),
    "patched tokens": lambda: patched_token_map(SQUARE, ["a"], unit="", theme=LIGHT),
    "norms": lambda: norm_heat_map(SQUARE, ["a"], theme=LIGHT),
    "no embedding": lambda: embedding_norm_bars({}, ABC, theme=LIGHT),
    "probabilities": lambda: probability_bars(ABC, [1.0], theme=LIGHT),
    "terms": lambda: term_bars(["a"], [1.0, 2.0], ["", ""], limits=(0, 1), theme=LIGHT),
    "controls": lambda: weights_without(["a"], [0.1], [], weight=0.1, theme=LIGHT),
    "pairs": lambda: pair_map(SQUARE, ABC, ["c"], theme=LIGHT),
    "tags": lambda: tagged_words(["a"], [], marked=[], hover=[], theme=LIGHT),
    "words by layer": lambda: words_by_layer([ABC] * 3, SQUARE, rows=["a"], theme=LIGHT),
    "words": lambda: word_picture(CURVE, ["a"], unit="", theme=LIGHT),
    "counts": lambda: removal_curves(CURVE, (0, 1), unit="", theme=LIGHT),
}


@pytest.mark.parametrize("draw", FIGURES.values(), ids=FIGURES)
def test_nothing_makes_the_browser_draw_a_figure_twice(draw: Callable[[Theme], go.Figure]) -> None:
    sent = draw(LIGHT).to_plotly_json()
    assert "bdata" not in json.dumps(sent)
    assert "labelalias" not in json.dumps(sent)
    assert sent["layout"]["datarevision"]
    assert sent["layout"]["template"] is None


@pytest.mark.parametrize("draw", FIGURES.values(), ids=FIGURES)
def test_a_theme_changes_colours_alone(draw: Callable[[Theme], go.Figure]) -> None:
    one, other = (re.sub(COLOUR, "", json.dumps(draw(theme).to_plotly_json())) for theme in THEMES.values())
    assert one == other


@pytest.mark.parametrize("draw", MISFITS.values(), ids=MISFITS)
def test_arrays_that_do_not_fit_are_refused(draw: Callable[[], go.Figure]) -> None:
    with pytest.raises(ShapeError):
        draw()


def test_an_error_names_both_numbers() -> None:
    with pytest.raises(ShapeError, match="5, but 4 labels"):
        norm_heat_map(np.ones((7, 5)), ["a"] * 4, theme=LIGHT)


def test_inputs_are_neither_changed_nor_shared() -> None:
    norms = SQUARE.astype(np.float32)
    norms.flags.writeable = False
    for draw in (norm_heat_map, cosine_heat_map):
        [first, *_] = draw(norms, ABC, theme=LIGHT).data
        for name in ("x", "y", "z"):
            drawn = getattr(first, name, None)
            assert drawn is None or not np.shares_memory(np.asarray(drawn), norms)
