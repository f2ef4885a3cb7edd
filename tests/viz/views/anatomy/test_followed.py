"""The run and the cell that all steps of the anatomy follow."""

from typing import Any

import pytest

from encoder import Backend
from viz.state.fields import with_values
from viz.state.selection import DEFAULT, Selection
from viz.views.anatomy.answer.followed import followed_cell, followed_place
from viz.views.anatomy.answer.tensors import FollowedCell

A, B = "time flies like an arrow", "fruit flies like a banana"


def selected(**values: Any) -> Selection:
    return with_values(DEFAULT, {"a": A, "b": B, "mode": "separate", **values})


def found(backend: Backend, selection: Selection, place: str = "A") -> FollowedCell:
    texts = dict(zip(("A", "B"), (selection.texts.a, selection.texts.b), strict=True))
    traces = {letter: backend.trace(text) for letter, text in texts.items() if text}
    if selection.texts.mode == "pair":
        traces = {"pair": backend.trace(*texts.values())}
    return followed_cell(traces, place, selection, head=selection.head)


def test_the_steps_follow_the_shared_word_to_its_largest_weight(scratch_bert: Backend) -> None:
    assert found(scratch_bert, selected()) == FollowedCell(row=2, key=1, dimension=1)
    assert found(scratch_bert, selected(), "B") == FollowedCell(row=2, key=1, dimension=1)
    assert found(scratch_bert, selected(mode="pair"), "pair").row == 2


def test_a_text_alone_is_followed_at_its_largest_weight_between_words(scratch_bert: Backend) -> None:
    cell = found(scratch_bert, selected(b=""))
    assert {cell.row, cell.key} <= set(range(1, 6))


@pytest.mark.parametrize(
    ("chosen", "cell"),
    [
        ({"query": 4, "key": 3, "pinned_in": "A"}, (4, 3, 1)),
        ({"query": 4, "key": 3, "pinned_in": "A", "row": 5, "column": 2}, (5, 2, 2)),
        ({"query": 4, "key": 3, "pinned_in": "B"}, (2, 1, 1)),
        ({"row": 45, "column": 9, "dimension": 300}, (45, 9, 300)),
    ],
)
def test_a_chosen_cell_precedes_a_pinned_one(
    scratch_bert: Backend, chosen: dict[str, Any], cell: tuple[int, int, int]
) -> None:
    assert found(scratch_bert, selected(**chosen)) == FollowedCell(row=cell[0], key=cell[1], dimension=cell[2])


def test_a_row_alone_is_followed_to_its_largest_weight(scratch_bert: Backend) -> None:
    weights = scratch_bert.trace(A).weights(0)[DEFAULT.head]
    cell = found(scratch_bert, selected(row=5))
    assert (cell.row, weights[5, cell.key]) == (5, max(weights[5, key] for key in range(1, 5)))


def test_a_pin_in_the_other_sentence_leads_to_that_sentence(scratch_bert: Backend) -> None:
    traces = {"A": scratch_bert.trace(A), "B": scratch_bert.trace(B)}
    assert followed_place(traces, selected()) == "A"
    assert followed_place(traces, selected(query=2, pinned_in="B")) == "B"
    assert followed_place(traces, selected(pinned_in="B")) == "A"
