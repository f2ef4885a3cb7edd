"""What every heat map with numbers in its cells hands to Plotly."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
import pytest

from viz.figures.anatomy import tensor_square
from viz.figures.differences import difference_map, word_distance_map
from viz.figures.norms import cosine_heat_map, norm_heat_map
from viz.figures.pairs import pair_map
from viz.figures.patching import patched_token_map
from viz.theme import THEMES

LIGHT = THEMES["light"]
MAPS = {
    "norms": lambda values, labels: norm_heat_map(values, labels, theme=LIGHT),
    "cosines": lambda values, labels: cosine_heat_map(values, labels, theme=LIGHT),
    "patched tokens": lambda values, labels: patched_token_map(values, labels, unit="log-odds", theme=LIGHT),
    "attention": lambda values, labels: difference_map(values, labels, pinned=(1, 2), theme=LIGHT),
    "words": lambda values, labels: word_distance_map(values, labels, name="cosine distance", theme=LIGHT),
    "pairs": lambda values, labels: pair_map(values, labels, labels, theme=LIGHT),
    "anatomy": lambda values, labels: tensor_square(values, labels, labels, theme=LIGHT, title="A", marked=(0, 1)),
}


def drawn(name: str, labels: Sequence[str]) -> go.Figure:
    values = np.linspace(-0.5, 1, len(labels) ** 2).reshape(len(labels), len(labels))
    return MAPS[name](values, labels)


@pytest.mark.parametrize("name", MAPS)
def test_tokens_that_look_like_placeholders_are_named_as_they_stand(name: str) -> None:
    figure = drawn(name, ["{x}", "%{y}", "{0}"])
    assert figure.layout.xaxis.ticktext == ("{x}", "&#37;{y}", "{0}")
    assert "{0}" in figure.data[0].hovertext[0][2]
    assert "{x}" in figure.data[0].hovertext[0][0]


@pytest.mark.parametrize("name", MAPS)
def test_maps_of_many_tokens_do_not_carry_a_name_for_every_cell(name: str) -> None:
    figure = drawn(name, [f"word{index}" for index in range(15)])
    assert figure.data[0].hovertext is None
    assert "%{x}" in figure.data[0].hovertemplate
    assert figure.layout.xaxis.labelalias["14"] == "word14"
