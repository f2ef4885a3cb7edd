"""Weights under masks and changes, worked out against the tensors of the passes."""

import numpy as np
import pytest

from encoder import Backend
from encoder.experiments.anatomy.cells import changed_weight, masked_weight
from encoder.experiments.anatomy.masks import masked
from encoder.experiments.anatomy.names import Mask, WhatIf
from encoder.experiments.anatomy.record import Record, ours, record
from encoder.experiments.anatomy.what_if import changed
from encoder.models.scratch import ScratchBackend
from encoder.text.tokens import Tokens

A = "time flies like an arrow"
LAYER, HEAD = 1, 2
MASKS: tuple[Mask, ...] = ("none", "padding", "causal")
CHANGES: tuple[tuple[WhatIf, ...], ...] = (
    (),
    ("unscaled",),
    ("one-head",),
    ("dropout",),
    ("no-positions",),
    ("shuffled",),
    ("unscaled", "one-head", "shuffled"),
)


@pytest.mark.parametrize("kind", MASKS)
def test_a_weight_under_a_mask_is_the_softmax_of_score_plus_mask(
    kind: Mask, backend: ScratchBackend, tokens: Tokens
) -> None:
    held = masked(backend.encoder, tokens, layer=LAYER, mask=kind)
    np.testing.assert_array_equal(held.unmasked[:, held.allowed], held.scores[:, held.allowed])
    last = len(held.allowed) - 1
    for row, column in ((0, 0), (0, last), (1, last), (last, 0)):
        cell = masked_weight(held, head=HEAD, row=row, column=column)
        assert cell.softmax.value == float(held.weights[HEAD, row, column])
        exponentials = cell.softmax.exponentials
        assert float(exponentials[column] / exponentials.sum()) == pytest.approx(cell.softmax.value, abs=1e-6)
        np.testing.assert_array_equal(cell.scores + cell.mask, held.scores[HEAD, row])
        np.testing.assert_array_equal(cell.scores + cell.mask, cell.softmax.scores)
        np.testing.assert_array_equal(np.isneginf(cell.mask), ~held.allowed[row])
        assert (cell.softmax.value == 0) == (not held.allowed[row, column])


@pytest.mark.parametrize("what_ifs", CHANGES)
def test_a_changed_weight_stands_beside_the_models_own(
    what_ifs: tuple[WhatIf, ...], backend: ScratchBackend, tokens: Tokens, seen: Record
) -> None:
    new = changed(backend.encoder, tokens, layer=LAYER, what_ifs=what_ifs)
    head = 0 if "one-head" in what_ifs else HEAD
    last = len(tokens) - 1
    for row, column in ((0, 0), (last, 1), (1, last)):
        cell = changed_weight(seen, new, head=HEAD, row=row, column=column)
        np.testing.assert_array_equal(cell.own.scores, seen.scores[HEAD, row])
        assert cell.own.value == float(seen.weights[HEAD, row, column])
        np.testing.assert_array_equal(cell.changed.scores, new.scores[head, row])
        for softmax in (cell.own, cell.changed):
            assert float(softmax.exponentials[column]) / softmax.total == pytest.approx(softmax.value, abs=1e-6)
        assert cell.changed.value == float(new.softmax[head, row, column])
        assert cell.value == float(new.weights[head, row, column])


def test_dropout_sets_a_weight_to_0_or_scales_it_up(scratch_bert: Backend) -> None:
    backend, tokens = ours(scratch_bert), scratch_bert.tokenize(A)
    seen = record(backend.encoder, tokens, layer=0)
    new = changed(backend.encoder, tokens, layer=0, what_ifs=("dropout",))
    dropped, kept = (np.argwhere(found)[0].tolist() for found in (new.weights == 0, new.weights > 0.01))
    gone, scaled = (
        changed_weight(seen, new, head=head, row=row, column=column) for head, row, column in (dropped, kept)
    )
    assert gone.value == 0 < gone.changed.value
    assert scaled.dropout == 0.1
    assert scaled.value == pytest.approx(scaled.changed.value / (1 - scaled.dropout), rel=1e-5)
