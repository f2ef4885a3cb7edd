"""The anatomy's tensors against the model's own."""

from typing import Any, cast

import numpy as np
import pytest
import torch

import encoder
from encoder import Backend
from encoder.errors import ConfigError, SelectionError, UnsupportedModelError
from encoder.experiments.anatomy.masks import masked
from encoder.experiments.anatomy.our_models import is_ours, ours
from encoder.experiments.anatomy.record import Record, private_copy, record
from encoder.experiments.anatomy.what_if import changed
from encoder.models.scratch import ScratchBackend
from encoder.text.tokens import Tokens
from encoder.transformer.encoder import Encoder, EncoderOutput

A, B = "time flies like an arrow", "fruit flies like a banana"
LAYER = 1


@torch.inference_mode()
def whole_pass(encoder: Encoder, tokens: Tokens) -> EncoderOutput:
    return encoder(torch.tensor([tokens.ids]), torch.tensor([tokens.token_type_ids]))


def test_every_tensor_is_what_the_model_used(backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    output = whole_pass(backend.encoder, tokens)
    attention = output.attentions[LAYER]
    for name in ("query", "key", "value", "scores", "weights", "context"):
        np.testing.assert_array_equal(getattr(seen, name), getattr(attention, name)[0].numpy(), err_msg=name)
    assert len(seen.hidden_states) == backend.num_layers + 1
    for entry, state in enumerate(output.hidden_states):
        np.testing.assert_array_equal(seen.hidden_states[entry], state[0].numpy(), err_msg=str(entry))
    # √K is taken in double precision by the model, and rounded when the scores are divided.
    np.testing.assert_array_equal(seen.products / np.float32(np.sqrt(backend.encoder.config.head_width)), seen.scores)


@torch.inference_mode()
def test_every_step_follows_from_the_one_before(backend: ScratchBackend, seen: Record) -> None:
    """Each recorded tensor through the model's own next module is the next recorded tensor, to the last bit."""
    block: Any = backend.encoder.layers[LAYER]

    def of(array: Any) -> torch.Tensor:
        return torch.tensor(array)[None]

    embeddings = backend.encoder.embeddings
    parts = embeddings.parts(torch.tensor([seen.tokens.ids]), torch.tensor([seen.tokens.token_type_ids]))
    for name, part in parts.items():
        np.testing.assert_array_equal(seen.parts[name], part[0].numpy())
    after = {
        "hidden_states": embeddings.norm(of(seen.embedding_sum)),
        "merged": block.attention.merge_heads(of(seen.context)),
        "attended": block.attention.output(of(seen.merged)),
        "attention_sum": of(seen.layer_input) + of(seen.attended),
        "attention_normed": block.attention_norm(of(seen.attention_sum)),
        "inner": block.feed_forward.up(of(seen.attention_normed)),
        "activated": block.feed_forward.activation(of(seen.inner)),
        "fed": block.feed_forward.down(of(seen.activated)),
        "output_sum": of(seen.attention_normed) + of(seen.fed),
        "layer_output": block.feed_forward_norm(of(seen.output_sum)),
    }
    for name, tensor in after.items():
        recorded = getattr(seen, name)
        recorded = recorded[0] if name == "hidden_states" else recorded
        np.testing.assert_array_equal(recorded, tensor[0].numpy(), err_msg=name)


def test_a_record_changes_nothing_and_cannot_be_changed(backend: ScratchBackend, tokens: Tokens) -> None:
    before = whole_pass(backend.encoder, tokens).last_hidden_state
    seen = record(backend.encoder, tokens, layer=LAYER)
    changed(backend.encoder, tokens, layer=LAYER, what_ifs=("dropout", "no-positions", "one-head", "unscaled"))
    assert torch.equal(before, whole_pass(backend.encoder, tokens).last_hidden_state)
    assert not any(module.training or module._forward_hooks for module in backend.encoder.modules())
    with pytest.raises(ValueError, match="read-only"):
        seen.weights[0, 0, 0] = 1


def test_a_copy_has_modules_of_its_own_and_the_same_weights() -> None:
    backend = ours(encoder.load("scratch"))
    copied = private_copy(backend.encoder)
    assert not set(copied.modules()) & set(backend.encoder.modules())
    pairs = zip(copied.named_parameters(), backend.encoder.named_parameters(), strict=True)
    assert all(one is other and name == same for (name, one), (same, other) in pairs)
    assert [b.data_ptr() for b in copied.buffers()] == [b.data_ptr() for b in backend.encoder.buffers()]


def test_the_same_numbers_as_the_bundled_model(bundled: Backend, scratch_bert: Backend) -> None:
    seen = record(ours(scratch_bert).encoder, scratch_bert.tokenize(A, B), layer=LAYER)
    np.testing.assert_allclose(seen.weights, bundled.trace(A, B).weights(LAYER), atol=1e-5)


def test_layers_and_models_that_cannot_be_taken_apart_are_refused(bundled: Backend, scratch_bert: Backend) -> None:
    encoder_ = ours(scratch_bert).encoder
    tokens = scratch_bert.tokenize(A)
    for call in (record, lambda *a, **k: masked(*a, mask="none", **k), lambda *a, **k: changed(*a, what_ifs=(), **k)):
        with pytest.raises(SelectionError, match=r"Layer 6 .* 0 to 5"):
            cast(Any, call)(encoder_, tokens, layer=6)
    with pytest.raises(ConfigError, match="pre-norm"):
        record(Encoder(encoder_.config.with_changes(norm="pre", num_hidden_layers=1)), tokens, layer=0)
    assert is_ours(scratch_bert)
    assert not is_ours(bundled)
    with pytest.raises(UnsupportedModelError, match="bundled"):
        ours(bundled)
