"""Which part of a large tensor the anatomy draws, and what of it a click chooses."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.answers.answer import Sentence
from viz.theme import THEMES
from viz.views.anatomy.answer.tensors import (
    Drawn,
    Opened,
    Shown,
    tensors,
    window,
    windows,
)


def shown(rows: int, columns: int, *, by: tuple[str, str] = ("token", "dimension")) -> Shown:
    return Shown(name="", array=np.zeros((rows, columns), dtype=np.float32), rows=by[0], columns=by[1])


@given(count=st.integers(1, 4000), most=st.sampled_from([40, 384]), data=st.data())
def test_every_position_is_in_its_window(count: int, most: int, data: st.DataObject) -> None:
    position = data.draw(st.integers(0, count - 1))
    part = window(position, count, most)
    assert 0 <= part.start <= position < part.stop <= count
    assert part.stop - part.start == min(most, count)


@pytest.mark.parametrize(
    ("position", "start"), [(0, 0), (29, 0), (30, 20), (49, 20), (50, 40), (99, 80), (109, 80), (110, 88), (127, 88)]
)
def test_a_window_moves_in_halves_and_ends_with_the_text(position: int, start: int) -> None:
    assert window(position, 128, 40).start == start


def test_rows_and_columns_are_those_of_the_chosen_cell() -> None:
    scores = shown(62, 62, by=("query", "key"))
    rows, columns = windows(scores, Opened(scores, (55, 3)))
    assert (rows.start, rows.stop, columns.start, columns.stop) == (22, 62, 0, 40)
    units = shown(62, 1536, by=("token", "unit"))
    opened = Opened(units, (35, 700))
    assert [part.start for part in windows(units, opened)] == [20, 576]
    assert [part.start for part in windows(shown(62, 384), opened)] == [20, 0]


def test_keys_that_were_not_chosen_are_those_around_the_row() -> None:
    context = Opened(shown(62, 32), (55, 7))
    assert [part.start for part in windows(shown(62, 62, by=("query", "key")), context)] == [22, 22]
    assert [part.start for part in windows(shown(62, 32, by=("key", "dimension")), context)] == [22, 0]


def test_a_cell_lies_in_the_rows_and_columns_that_count_the_same() -> None:
    context = Opened(shown(9, 32), (5, 7))
    assert context.mark(shown(9, 32)) == (5, 7)
    assert context.mark(shown(9, 9, by=("query", "key"))) == (5, None)
    assert context.mark(shown(9, 32, by=("key", "dimension"))) == (None, 7)
    assert context.mark(shown(9, 384)) == (5, None)
    assert context.mark(shown(7, 32, by=("layer", "dimension"))) == (None, 7)
    assert context.mark(shown(9, 1536, by=("token", "unit"))) == (5, None)


@pytest.mark.parametrize(
    ("point", "box"),
    [
        ({"kind": "cell", "query": [20, 45], "key": [1]}, (0.5, 1.5, 21.5, 45.5)),
        ({"kind": "token", "token": [30]}, (-0.5, 39.5, 29.5, 30.5)),
        ({"kind": "cell", "query": [3], "key": [1]}, None),
        ({"kind": "head", "layer": 0, "head": 1}, None),
    ],
)
def test_what_a_stop_points_at_is_ringed_as_far_as_it_is_drawn(
    point: dict[str, object], box: tuple[float, ...] | None
) -> None:
    scores = shown(62, 62, by=("query", "key"))
    drawn = Drawn(labels=["a"] * 62, opened=Opened(scores, (55, 3)), head=0, points=[point])
    [chart] = tensors([[scores]], drawn).charts
    figure = chart.figure(THEMES["light"])
    rings = [(ring.x0, ring.x1, ring.y0, ring.y1) for ring in figure.layout.shapes if ring.name == "ring"]
    assert rings == ([box] if box else [])


def said(tensor: Shown, cell: tuple[int, int], *, clickable: bool = False, one_scale: bool = True) -> str:
    """How to read a tensor, drawn twice."""
    labels = ["a"] * len(tensor.array)
    opened = Opened(tensor, cell)
    drawn = Drawn(labels=labels, opened=opened, head=0, clickable=clickable)
    parts = tensors([[tensor, tensor]], drawn, one_scale=one_scale).parts
    return " ".join(part.text for part in parts if isinstance(part, Sentence))


def test_how_to_read_names_scale_and_parts() -> None:
    units = said(shown(62, 1536, by=("token", "unit")), (35, 700))
    assert units == (
        "Rows 20 to 59 of 62 and columns 576 to 959 of 1,536 are shown, around the chosen cell. Same colours, same "
        "scale. Drag to zoom."
    )
    assert "Same colours, each on a scale of its own." in said(shown(9, 9), (0, 0), one_scale=False)
    assert "Click a cell to work it out." in said(shown(62, 384), (30, 0), clickable=True)
    assert said(replace(shown(9, 9, by=("query", "key")), kind="weight"), (0, 0)) == ""


def test_keys_and_dimensions_have_fields_of_their_own() -> None:
    scores, vectors = shown(5, 5, by=("query", "key")), shown(5, 32)
    for tensor, column in ((scores, "column"), (vectors, "dimension")):
        drawn = Drawn(labels=["a"] * 5, opened=Opened(tensor, (1, 2)), head=0, clickable=True)
        [chart] = tensors([[tensor]], drawn).charts
        assert chart.axes == {"y": "row", "x": column}
