"""The anatomy's tensors against the model's own."""

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
import torch

from encoder import Backend
from encoder.errors import ConfigError, SelectionError, UnsupportedModelError
from encoder.experiments.anatomy.changes import changed, masked
from encoder.experiments.anatomy.record import Record, is_ours, ours, record
from encoder.models.hooks import current_run
from encoder.models.scratch import ScratchBackend
from encoder.text.tokens import Tokens
from encoder.transformer.attention import scaled_dot_product_attention
from encoder.transformer.encoder import Encoder, EncoderOutput
from tests.rounding import rounding

A, B = "time flies like an arrow", "fruit flies like a banana"
LAYER = 1


@torch.inference_mode()
def whole_pass(encoder: Encoder, tokens: Tokens) -> EncoderOutput:
    return encoder(torch.tensor([tokens.ids]), torch.tensor([tokens.token_type_ids]))


@torch.inference_mode()
def test_every_tensor_is_what_the_model_used(backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    attention: Any = backend.encoder.layers[LAYER].attention
    x = torch.tensor(seen.layer_input)[None]
    query = attention.split_heads(attention.query(x))
    key, value = attention.key_value(x)
    step = scaled_dot_product_attention(query, key, value)
    expected = {"query": query, "key": key, "value": value} | step._asdict()
    for name, tensor in expected.items():
        np.testing.assert_array_equal(getattr(seen, name), tensor[0].numpy(), err_msg=name)
    assert len(seen.hidden_states) == backend.num_layers + 1
    # The whole pass has the fused kernel in this layer too.
    for state_index, state in enumerate(whole_pass(backend.encoder, tokens).hidden_states):
        room = rounding(state.shape[-1])
        np.testing.assert_allclose(seen.hidden_states[state_index], state[0].numpy(), rtol=room, atol=room)
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
    assert not any(module.training for module in backend.encoder.modules())
    assert current_run() is None
    with pytest.raises(ValueError, match="read-only"):
        seen.weights[0, 0, 0] = 1


def test_layers_and_models_that_cannot_be_recorded_are_refused(pretrained: Backend, scratch_bert: Backend) -> None:
    encoder_ = ours(scratch_bert).encoder
    tokens = scratch_bert.tokenize(A)
    for call in (record, lambda *a, **k: masked(*a, mask="none", **k), lambda *a, **k: changed(*a, what_ifs=(), **k)):
        with pytest.raises(SelectionError, match=r"Layer 6 .* 0 to 5"):
            cast(Any, call)(encoder_, tokens, layer=6)
    with pytest.raises(ConfigError, match=r"^The anatomy shows post-norm layers, .* is pre-norm\.$"):
        record(Encoder(replace(encoder_.config, norm="pre", num_hidden_layers=1)), tokens, layer=0)
    assert is_ours(scratch_bert)
    assert not is_ours(pretrained)
    with pytest.raises(UnsupportedModelError, match="bundled"):
        ours(pretrained)
