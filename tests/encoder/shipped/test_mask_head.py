"""The head for masked words that ships: what it reads, and what it is worth."""

import numpy as np
import torch

from encoder import Backend
from encoder.shipped.mask_accuracy import has_mask_head, mask_accuracy
from encoder.shipped.mask_head import load_mask_head
from encoder.shipped.sentiment import WORD_VECTORS

TEXT = "i hope that he [MASK] come tomorrow"


def test_the_words_at_a_mask_are_those_of_the_head(bundled: Backend) -> None:
    trace = bundled.trace(TEXT)
    found = trace.token_prediction
    (position,) = found.positions
    head = load_mask_head("bundled")
    table = bundled.modules[0].get_parameter(WORD_VECTORS)
    with torch.inference_mode():
        logits = head.logits(torch.tensor(trace.hidden_states)[:, None], position, table)[0]
    assert tuple(logits.topk(50).indices.tolist()) == found.candidate_ids[0]
    torch.testing.assert_close(logits.topk(50).values, torch.tensor(found.logits[0]), atol=1e-4, rtol=0)
    assert abs(float(found.probabilities.sum()) + float(logits.softmax(-1).sort().values[:-50].sum()) - 1) < 1e-5


def test_a_text_without_a_mask_has_no_word_at_one(bundled: Backend, scratch_bert: Backend) -> None:
    assert bundled.trace("time flies").token_prediction is None
    assert scratch_bert.trace(TEXT).token_prediction is None
    assert has_mask_head("bundled")
    assert not has_mask_head("scratch")


def test_later_states_do_not_change_what_an_earlier_layer_says(bundled: Backend) -> None:
    states = torch.tensor(bundled.trace(TEXT).hidden_states)[:, None]  # (L + 1, 1, T, D)
    later = states.clone()
    later[4:] += 1
    with torch.inference_mode():
        one, other = (bundled.read_mask(given, 5, after=3) for given in (states, later))
        changed = bundled.read_mask(later, 5)
    assert one is not None
    assert other is not None
    assert changed is not None
    assert torch.equal(one, other)
    assert not torch.equal(one, changed)


def test_the_masked_word_is_found_more_often_than_the_commonest() -> None:
    found = mask_accuracy("bundled")
    assert found.shares.shape == (7, 3)
    assert found.n > 5_000
    assert (found.shares[:, 0] < found.shares[:, 1]).all()
    assert (found.shares[:, 1] < found.shares[:, 2]).all()
    assert found.shares[-1, 0] > 2 * found.commonest


def test_every_layer_that_is_read_makes_the_first_word_right_more_often() -> None:
    assert (np.diff(mask_accuracy("bundled").shares[:, 0]) > 0).all()
