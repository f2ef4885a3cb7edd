"""What the attention heat map hands to Plotly."""

import base64
import json
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from encoder.errors import ShapeError
from viz.figures import attention_heat_map
from viz.figures.heat_map import COLUMN, HALF
from viz.figures.labels import text_width
from viz.theme import THEMES, contrast

LIGHT, DARK = THEMES["light"], THEMES["dark"]
PAIR = ["[CLS]", "time", "flies", "like", "an", "arrow", "[SEP]", "fruit", "flies", "like", "a", "banana", "[SEP]"]
HOSTILE = ["</script>", "<img src=x onerror=alert(1)>", "<b>x</b>", "<a href='javascript:alert(1)'>", "$x$", "%{z}"]


def softmax_weights(count: int) -> NDArray[np.float32]:
    scores = np.random.default_rng(0).normal(size=(count, count)) * 2
    exponentials = np.exp(scores)
    return (exponentials / exponentials.sum(axis=1, keepdims=True)).astype(np.float32)


def strings(value: Any) -> list[str]:
    """Every string in a figure's JSON, keys included."""
    if isinstance(value, dict):
        return [text for key, inner in value.items() for text in (key, *strings(inner))]
    if isinstance(value, list):
        return [text for inner in value for text in strings(inner)]
    return [value] if isinstance(value, str) else []


def test_cells_are_the_weights_in_float32_and_rows_are_queries_running_down() -> None:
    weights = softmax_weights(13)
    figure = attention_heat_map(weights.astype(np.float64), PAIR, theme=LIGHT)
    cells = figure.data[0]
    assert cells.type == "heatmap"
    assert cells.z.dtype == np.float32
    np.testing.assert_array_equal(cells.z, weights)
    assert figure.layout.yaxis.range == (12.5, -0.5)
    assert figure.layout.xaxis.range == (-0.5, 12.5)
    titles = [note.text for note in figure.layout.annotations]
    assert "query (from) ↓" in titles
    assert "key (to) →" in titles


def test_arrays_travel_as_binary_float32() -> None:
    spec = json.loads(attention_heat_map(softmax_weights(20), ["a"] * 20, theme=LIGHT).to_json())
    assert spec["data"][0]["z"]["dtype"] == "f4"
    assert len(base64.b64decode(spec["data"][0]["z"]["bdata"])) == 4 * 20 * 20


@pytest.mark.parametrize("largest", [0.01, 1.0])
def test_colours_run_from_0_to_1_whatever_the_weights(largest: float) -> None:
    figure = attention_heat_map(np.full((2, 2), largest), ["a", "b"], theme=DARK)
    cells = figure.data[0]
    assert (cells.zmin, cells.zmax) == (0, 1)
    assert cells.colorscale == DARK.sequential
    assert cells.colorbar.title.text == "attention weight"
    assert list(cells.colorbar.tickvals) == [0, 0.5, 1]


def test_repeated_tokens_keep_their_own_rows_and_columns() -> None:
    figure = attention_heat_map(softmax_weights(3), ["flies", "flies", "flies"], theme=LIGHT)
    for axis, positions in ((figure.layout.xaxis, figure.data[0].x), (figure.layout.yaxis, figure.data[0].y)):
        np.testing.assert_array_equal(positions, [0, 1, 2])
        assert [axis.labelalias[str(i)] for i in range(3)] == ["flies"] * 3
        assert (axis.tickmode, axis.tick0, axis.dtick) == ("linear", 0, 1)


def test_hover_gives_both_tokens_both_positions_and_the_value() -> None:
    figure = attention_heat_map(softmax_weights(13), PAIR, theme=LIGHT)
    template = figure.data[0].hovertemplate
    assert template == "from %{y}<br>to %{x}<br>attention weight %{z:.4f}<extra></extra>"
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert axis.hoverformat == "+d"  # so that hover has names of its own, under "+3"
        assert axis.labelalias["+8"] == "<b>flies</b> · position 8"


def test_a_long_token_is_shortened_in_the_ticks_and_whole_in_hover() -> None:
    axis = attention_heat_map(softmax_weights(2), ["a" * 40, "b"], theme=LIGHT).layout.xaxis
    assert axis.labelalias["0"] == "a" * 15 + "…"
    assert axis.labelalias["+0"] == f"<b>{'a' * 40}</b> · position 0"


def test_hostile_tokens_reach_no_string_of_the_figure_as_markup() -> None:
    count = len(HOSTILE)
    figure = attention_heat_map(softmax_weights(count), HOSTILE, theme=LIGHT, title="<b>L3</b> %{x}")
    texts = strings(json.loads(figure.to_json()))
    for token in [*HOSTILE, "<b>L3</b>", "<img", "<a ", "</script", "<b>x"]:
        assert not any(token in text for text in texts), token
    assert figure.layout.xaxis.labelalias["2"] == "&lt;b&gt;x&lt;/b&gt;"
    assert figure.layout.xaxis.labelalias["+0"] == "<b>&lt;/script&gt;</b> · position 0"
    assert "&lt;b&gt;L3&lt;/b&gt; &#37;{x}" in [note.text for note in figure.layout.annotations]


@pytest.mark.parametrize("count", [1, 2, 5, 13, 30, 40, 60])
def test_cells_leave_room_for_a_label_of_14_pixels(count: int) -> None:
    labels = [("flies", "understanding", "an")[i % 3] for i in range(count)]
    layout = attention_heat_map(softmax_weights(count), labels, theme=LIGHT).layout
    across = (layout.width - layout.margin.l - layout.margin.r) / count
    down = (layout.height - layout.margin.t - layout.margin.b) / count
    assert 15.9 <= down <= across + 0.6 <= 65.2
    assert layout.xaxis.tickfont.size == layout.yaxis.tickfont.size == 14
    assert count > 40 or layout.width <= COLUMN[0]
    assert layout.xaxis.tickmode == layout.yaxis.tickmode == "linear"


@pytest.mark.parametrize("count", [5, 13, 40])
def test_margins_hold_the_longest_label(count: int) -> None:
    labels = ["internationalisation", *["a"] * (count - 1)]
    layout = attention_heat_map(softmax_weights(count), labels, theme=LIGHT).layout
    assert layout.margin.l >= text_width(layout.yaxis.labelalias["0"])
    if layout.xaxis.tickangle == -90:
        assert layout.margin.t >= text_width(layout.xaxis.labelalias["0"]) + 50
    else:
        assert layout.xaxis.tickangle == -45
        assert layout.margin.r >= 0.7 * text_width(layout.xaxis.labelalias["0"]) - layout.width / count


def test_short_labels_lie_flat_over_wide_cells() -> None:
    assert attention_heat_map(softmax_weights(13), PAIR, theme=LIGHT).layout.xaxis.tickangle == 0


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_few_tokens_show_their_numbers_in_readable_ink(theme: Any) -> None:
    weights = np.array([[0.004, 0.996], [0.55, 0.45]], dtype=np.float32)
    numbers = attention_heat_map(weights, ["a", "b"], theme=theme).data[1]
    assert list(numbers.text) == ["0.00", "1.00", "0.55", "0.45"]
    assert numbers.textfont.size == 14
    assert numbers.hoverinfo == "skip"
    np.testing.assert_array_equal(np.stack([numbers.y, numbers.x], axis=1), [[0, 0], [0, 1], [1, 0], [1, 1]])
    for ink, weight in zip(numbers.textfont.color, weights.ravel(), strict=True):
        assert contrast(ink, theme.sequential[round(float(weight) * 16)][1]) >= 4


def test_many_tokens_show_no_numbers() -> None:
    assert len(attention_heat_map(softmax_weights(14), ["a"] * 14, theme=LIGHT).data) == 2
    assert len(attention_heat_map(softmax_weights(15), ["a"] * 15, theme=LIGHT).data) == 1


def test_lines_mark_where_sentence_b_starts() -> None:
    lines = attention_heat_map(softmax_weights(13), PAIR, theme=LIGHT, sentence_b_start=7).layout.shapes
    assert [(line.x0, line.x1) for line in lines if line.xref == "x"] == [(6.5, 6.5)]
    assert [(line.y0, line.y1) for line in lines if line.yref == "y"] == [(6.5, 6.5)]


@pytest.mark.parametrize("start", [None, 0, 13])
def test_no_line_where_nothing_is_divided(start: int | None) -> None:
    assert not attention_heat_map(softmax_weights(13), PAIR, theme=LIGHT, sentence_b_start=start).layout.shapes


def test_the_page_shows_through() -> None:
    layout = attention_heat_map(softmax_weights(2), ["a", "b"], theme=DARK).layout
    assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert layout.font.color == DARK.text


def test_the_weights_are_neither_changed_nor_shared() -> None:
    weights = softmax_weights(5)
    before = weights.copy()
    weights.flags.writeable = False
    figure = attention_heat_map(weights, list("abcde"), theme=LIGHT)
    np.testing.assert_array_equal(weights, before)
    assert not np.shares_memory(figure.data[0].z, weights)


@pytest.mark.parametrize(
    ("shape", "count", "start", "numbers"),
    [
        ((3, 3), 2, None, ("3", "2")),
        ((3, 4), 3, None, ("3", "4")),
        ((3,), 3, None, ("(Q, K)", "(3,)")),
        ((0, 0), 0, None, ("(Q, K)", "(0, 0)")),
        ((3, 3), 3, 4, ("4", "3")),
        ((3, 3), 3, -1, ("-1", "3")),
    ],
)
def test_what_does_not_fit_is_refused_with_both_numbers(
    shape: tuple[int, ...], count: int, start: int | None, numbers: tuple[str, str]
) -> None:
    with pytest.raises(ShapeError) as error:
        attention_heat_map(np.zeros(shape), ["a"] * count, theme=LIGHT, sentence_b_start=start)
    assert all(number in str(error.value) for number in numbers)


@pytest.mark.parametrize("label", ["a", "suitcase", "internationalization"])
@pytest.mark.parametrize(
    ("count", "room"), [(2, HALF), (7, HALF), (16, HALF), (22, COLUMN), (30, COLUMN), (40, COLUMN)]
)
def test_figure_fits_the_room_it_is_given(count: int, room: tuple[int, int], label: str) -> None:
    layout = attention_heat_map(softmax_weights(count), [label] * count, theme=LIGHT, room=room).layout
    assert layout.width <= room[0]
    across = (layout.width - layout.margin.l - layout.margin.r) / count
    rows = layout.height - layout.margin.t - layout.margin.b
    assert across >= 15.9
    assert rows <= max(room[1], 16 * count) + 1
    assert layout.xaxis.tickangle != 0 or text_width(label) <= across


@pytest.mark.parametrize("count", [2, 7, 12])
def test_numbers_stand_only_in_cells_that_hold_them(count: int) -> None:
    figure = attention_heat_map(softmax_weights(count), ["suitcase"] * count, theme=LIGHT, room=HALF)
    across = (figure.layout.width - figure.layout.margin.l - figure.layout.margin.r) / count
    assert len(figure.data) == 1 or text_width("0.00") + 2 <= across
