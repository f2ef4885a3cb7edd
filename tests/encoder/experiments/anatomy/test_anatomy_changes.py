"""Masks and what-ifs, by their numbers."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

import encoder
from encoder import Backend
from encoder.experiments.anatomy.changes import PADDING, changed, masked, pre_norm, shuffled
from encoder.experiments.anatomy.names import Mask
from encoder.experiments.anatomy.record import Record, ours, record
from encoder.measures.operations import total_variation
from encoder.models.scratch import ScratchBackend
from encoder.text.tokens import Tokens
from encoder.transformer.attention import padding_mask
from tests.rounding import rounding

A, B = "time flies like an arrow", "fruit flies like a banana"
LAYER = 1


def test_no_mask_is_the_model_as_it_is(backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    free = masked(backend.encoder, tokens, layer=LAYER, mask="none")
    np.testing.assert_array_equal(free.weights, seen.weights)
    np.testing.assert_array_equal(free.scores, seen.scores)
    assert free.allowed.all()


def test_padding_matters_only_without_a_mask(backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    length = len(tokens)
    padded = masked(backend.encoder, tokens, layer=LAYER, mask="padding")
    assert padded.padding == PADDING
    assert padded.weights.shape[1:] == (length + PADDING, length + PADDING)
    assert (padded.weights[:, :, length:] == 0).all()
    assert np.isneginf(padded.scores[:, :, length:]).all()
    # The longer batch takes another matrix kernel, and which one depends on the processor.
    np.testing.assert_allclose(padded.weights[:, :length, :length], seen.weights, atol=1e-5)
    assert (padded.free_weights[:, :length, length:] > 0).all()


def test_a_causal_mask_hides_what_comes_later(backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    causal = masked(backend.encoder, tokens, layer=LAYER, mask="causal")
    later = np.triu(np.ones((len(tokens), len(tokens)), dtype=bool), 1)
    np.testing.assert_array_equal(causal.allowed, ~later)
    assert (causal.weights[:, later] == 0).all()
    np.testing.assert_array_equal(causal.weights[:, 0, 0], 1)
    np.testing.assert_allclose(causal.weights.sum(-1), 1, atol=1e-6)
    np.testing.assert_array_equal(causal.scores[:, ~later], seen.scores[:, ~later])
    # What is left of each row is the model's own row without the later keys, scaled to sum to 1 again.
    expected = np.where(later, 0, seen.weights)
    np.testing.assert_allclose(causal.weights, expected / expected.sum(-1, keepdims=True), atol=1e-5)


@pytest.mark.parametrize("mask", ["none", "padding", "causal"])
def test_masks_keep_to_the_text_on_a_model_that_reads_no_more(mask: Mask) -> None:
    """A text as long as the model reads leaves no room for padding."""
    backend = ours(encoder.load("scratch"))
    tokens = backend.tokenize("flies " * 600)
    assert len(tokens) == 512
    assert masked(backend.encoder, tokens, layer=0, mask=mask).weights.shape[1] == 512


@torch.inference_mode()
def test_a_token_that_expands_a_query_is_masked_in_every_pass(scratch_bert: Backend) -> None:
    model, tokens = ours(scratch_bert).encoder, scratch_bert.tokenize(A)
    tokens = replace(tokens, attention_mask=(1, 1, 1, 1, 1, 1, 0))
    seen = record(model, tokens, layer=LAYER)
    passes = [masked(model, tokens, layer=LAYER, mask=mask) for mask in ("none", "padding", "causal")]
    assert not any(each.weights[..., 6].any() or each.allowed[:, 6].any() for each in passes)
    for each in (seen, changed(model, tokens, layer=LAYER, what_ifs=())):
        assert not each.weights[..., 6].any()
    block: Any = model.layers[LAYER]
    x = torch.tensor(seen.layer_input)[None]
    added = x + block.attention(block.attention_norm(x), padding_mask(torch.tensor([tokens.attention_mask])))
    np.testing.assert_array_equal(pre_norm(model, seen)[1], added[0].numpy())


def softmax(scores: Any) -> Any:
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def test_nothing_changed_is_the_model_itself(backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    same = changed(backend.encoder, tokens, layer=LAYER, what_ifs=())
    np.testing.assert_array_equal(same.weights, seen.weights)
    assert same.order == tuple(range(len(tokens)))
    assert total_variation(seen.weights, same.weights).max() == 0


def test_scaling_off_is_the_softmax_of_the_products(backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    unscaled = changed(backend.encoder, tokens, layer=LAYER, what_ifs=("unscaled",)).weights
    np.testing.assert_allclose(unscaled, softmax(seen.products), atol=rounding(64, np.abs(seen.products).max()))
    if len(tokens) > 3:
        assert unscaled.max(-1).mean() > seen.weights.max(-1).mean()


def test_one_head_is_as_wide_as_the_model(backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    one = changed(backend.encoder, tokens, layer=LAYER, what_ifs=("one-head",)).weights
    query, key = (seen.layer_input @ seen.parameters[f"attention.{n}.weight"].T
                  + seen.parameters[f"attention.{n}.bias"] for n in ("query", "key"))  # fmt: skip
    assert one.shape == (1, len(tokens), len(tokens))
    np.testing.assert_allclose(one[0], softmax(query @ key.T / np.sqrt(query.shape[1])), atol=1e-5)


def test_one_unscaled_head_is_the_softmax_of_all_heads_products(
    backend: ScratchBackend, tokens: Tokens, seen: Record
) -> None:
    both = changed(backend.encoder, tokens, layer=LAYER, what_ifs=("unscaled", "one-head")).weights
    np.testing.assert_allclose(both[0], softmax(seen.products.sum(0)), atol=1e-4)


def test_dropout_zeroes_weights_and_is_the_same_each_time(scratch_bert: Backend) -> None:
    backend, tokens = ours(scratch_bert), scratch_bert.tokenize(A, B)
    state = torch.random.get_rng_state()
    one, two = (changed(backend.encoder, tokens, layer=0, what_ifs=("dropout",)).weights for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert torch.equal(torch.random.get_rng_state(), state)
    # A tenth of 12 × 13 × 13 weights, give or take four standard deviations.
    assert abs((one == 0).mean() - 0.1) < 4 * np.sqrt(0.09 / one.size)
    sums = one.sum(-1)
    assert sums.max() > 1.05
    assert sums.min() < 0.95


def test_dropout_of_states_alone_leaves_rows_that_sum_to_1() -> None:
    backend = ours(encoder.load("scratch"))
    assert backend.encoder.config.attention_probs_dropout_prob == 0
    tokens = backend.tokenize(A, B)
    dropped = changed(backend.encoder, tokens, layer=LAYER, what_ifs=("dropout",)).weights
    np.testing.assert_allclose(dropped.sum(-1), 1, atol=1e-5)
    assert total_variation(record(backend.encoder, tokens, layer=LAYER).weights, dropped).mean() > 0.01


def test_without_positions_the_order_of_the_words_makes_no_difference(
    backend: ScratchBackend, tokens: Tokens, seen: Record
) -> None:
    without = changed(backend.encoder, tokens, layer=LAYER, what_ifs=("no-positions",)).weights
    both = changed(backend.encoder, tokens, layer=LAYER, what_ifs=("no-positions", "shuffled"))
    np.testing.assert_allclose(both.weights, without, atol=1e-5)
    assert total_variation(seen.weights, without).mean() > 1e-3
    if len(set(tokens.ids)) > 3:
        with_positions = changed(backend.encoder, tokens, layer=LAYER, what_ifs=("shuffled",))
        assert with_positions.order == both.order != tuple(range(len(tokens)))
        assert total_variation(seen.weights, with_positions.weights).mean() > 1e-3


def test_shuffling_keeps_sentences_words_and_special_tokens(scratch_bert: Backend) -> None:
    tokens = scratch_bert.tokenize("unbelievably fast runners win", "time [MASK] flies")
    order = shuffled(tokens)
    assert sorted(order) == list(range(len(tokens)))
    assert order != tuple(range(len(tokens)))
    moved = [tokens.labels[token] for token in order]
    for position, frame in enumerate(tokens.special):
        assert (order[position] == position) or not frame
        assert tokens.sentence_ids[order[position]] == tokens.sentence_ids[position]
    at = moved.index("un")
    assert moved[at : at + 5] == ["un", "##bel", "##ie", "##va", "##bly"]
    assert shuffled(scratch_bert.tokenize("time")) == (0, 1, 2)
    assert shuffled(scratch_bert.tokenize("time flies")) == (0, 2, 1, 3)


@torch.inference_mode()
def test_pre_norm_is_the_layer_with_its_norm_in_front(backend: ScratchBackend, seen: Record) -> None:
    normed, added = pre_norm(backend.encoder, seen)
    block: Any = backend.encoder.layers[LAYER]
    x = torch.tensor(seen.layer_input)[None]
    np.testing.assert_array_equal(normed, block.attention_norm(x)[0].numpy())
    np.testing.assert_array_equal(added, (x + block.attention(block.attention_norm(x)))[0].numpy())
