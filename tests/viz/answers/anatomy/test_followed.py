"""The cell that all steps of the anatomy follow."""

from dataclasses import replace

import pytest

from encoder import Backend
from encoder.experiments.anatomy.record import ours, record
from viz.answers.anatomy.followed import followed_cell, followed_trace, positions_of_shared_word
from viz.answers.anatomy.tensors import FollowedCell
from viz.state.fields import with_values
from viz.state.selection import DEFAULT, Selection

A, B = "time flies like an arrow", "fruit flies like a banana"


def found(backend: Backend, selection: Selection, place: str = "A", *texts: str) -> FollowedCell:
    own = ours(backend)
    tokens = own.tokenize(*(texts or (A,)))
    weights = record(own.encoder, tokens, layer=selection.layer).weights[selection.head]
    shared = positions_of_shared_word(tokens, selection, place, own.tokenize)
    return followed_cell(tokens, weights, selection, place, shared=shared)


def selected(**values: object) -> Selection:
    return with_values(DEFAULT, {"a": A, "b": B, "mode": "separate", **values})


def test_the_steps_follow_the_shared_word_to_its_largest_weight(scratch_bert: Backend) -> None:
    assert found(scratch_bert, selected()) == FollowedCell(row=2, key=1, dimension=1)
    assert found(scratch_bert, selected(), "B", B).row == 2
    assert found(scratch_bert, selected(mode="pair"), "pair", A, B).row == 2


def test_a_text_alone_is_followed_at_its_largest_weight_between_words(scratch_bert: Backend) -> None:
    cell = found(scratch_bert, selected(b=""))
    assert cell.row != cell.key
    assert {cell.row, cell.key} <= set(range(1, 6))


@pytest.mark.parametrize(
    ("chosen", "cell"),
    [
        ({"query": 4, "key": 3, "pinned_in": "A"}, (4, 3, 1)),
        ({"query": 4, "key": 3, "pinned_in": "A", "row": 5, "column": 2}, (5, 2, 2)),
        ({"row": 45, "column": 9, "dimension": 300}, (45, 9, 300)),
    ],
)
def test_a_chosen_cell_precedes_a_pinned_one(
    scratch_bert: Backend, chosen: dict[str, object], cell: tuple[int, int, int]
) -> None:
    assert found(scratch_bert, selected(**chosen)) == FollowedCell(row=cell[0], key=cell[1], dimension=cell[2])


def test_a_pin_in_the_other_sentence_leads_to_that_sentence(scratch_bert: Backend) -> None:
    traces = {"A": scratch_bert.trace(A), "B": scratch_bert.trace(B)}
    assert followed_trace(traces, selected())[0] == "A"
    assert followed_trace(traces, selected(query=2, pinned_in="B"))[0] == "B"
    assert followed_trace(traces, replace(selected(), view="anatomy"))[0] == "A"
