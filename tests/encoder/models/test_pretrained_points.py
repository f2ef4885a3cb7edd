"""Queries, keys and values out of every family: the weights that follow from them are the model's own."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch import nn
from transformers.utils.logging import set_verbosity_error, set_verbosity_warning

from encoder.errors import NotCapturedError
from encoder.models.loading import load_folder
from encoder.models.pretrained import EAGER_NOTE
from encoder.runs.trace import Trace
from encoder.text.tokens import Tokens
from tests.encoder.random_models import (
    BERT_SIZES,
    CAPTURED,
    EAGER,
    FAMILIES,
    HEADS,
    LAYERS,
    LONG,
    WIDTH,
    A,
    B,
    Zoo,
    build,
    padded,
    run_eager,
    save,
    wordpiece_tokenizer,
)
from tests.rounding import rounding

# Measured over all families: weights differ by 6e-7 at most, hidden states by 5e-6 (they reach 7): the order of sums.
WEIGHTS = {"rtol": 0, "atol": rounding(2 * WIDTH)}
HIDDEN = {"rtol": 1e-5, "atol": 2e-5}

captured = pytest.mark.parametrize("family", [family.name for family in CAPTURED])
eager_only = pytest.mark.parametrize("family", [family.name for family in EAGER])
K = WIDTH // HEADS


def assert_equals_eager(trace: Trace, model: nn.Module, tokens: Tokens) -> None:
    expected = run_eager(model, tokens)
    real = np.array(tokens.attention_mask, dtype=bool)  # what padding itself attends to means nothing
    assert trace.num_layers == len(expected.attentions) == LAYERS
    for layer, weights in enumerate(expected.attentions):
        assert_allclose(
            trace.weights(layer)[:, real],
            weights[0].numpy()[:, real],
            **WEIGHTS,
            err_msg=f"weights of layer {layer} differ: mask, scaling or head order",
        )
    for layer, states in enumerate(expected.hidden_states):
        assert_allclose(
            trace.hidden_states[layer][real],
            states[0].numpy()[real],
            **HIDDEN,
            err_msg=f"hidden states {layer} differ, the weights before them do not: values or silencing",
        )


@captured
def test_weights_and_hidden_states_equal_eager_attention(zoo: Zoo, family: str) -> None:
    backend = zoo.backend(family)
    assert backend.captured
    for texts in ((A,), (A, B), (LONG[:50], B)):
        tokens = backend.tokenize(*texts)
        assert_equals_eager(backend.run(tokens), zoo.eager(family), tokens)


@captured
def test_padding_keys_receive_no_weight(zoo: Zoo, family: str) -> None:
    backend = zoo.backend(family)
    plain = backend.tokenize(A)
    tokens = padded(plain, 9, backend.model.config.pad_token_id or 0)
    trace, alone = backend.run(tokens), backend.run(plain)
    assert_equals_eager(trace, zoo.eager(family), tokens)
    assert np.isfinite(trace.hidden_states).all()
    for layer in range(LAYERS):
        weights = trace.weights(layer)
        assert (weights[:, : len(plain), len(plain) :] == 0).all()
        to_sink = trace.to_sink(layer)[:, : len(plain)]
        assert_allclose(weights[:, : len(plain)].sum(-1) + to_sink, 1, rtol=rounding(WIDTH))
        assert_allclose(weights[:, : len(plain), : len(plain)], alone.weights(layer), **WEIGHTS)
    assert_allclose(trace.hidden_states[:, : len(plain)], alone.hidden_states, **HIDDEN)


def test_a_local_window_masks_distant_tokens_in_its_layers_only(zoo: Zoo) -> None:
    trace = zoo.backend("modernbert").trace(LONG)
    window = zoo.backend("modernbert").model.config.local_attention // 2
    positions = np.arange(len(trace.tokens))
    distant = np.abs(positions[:, None] - positions) > window
    assert len(trace.tokens) > 2 * window
    assert (trace.weights(0)[:, distant] > 0).all()
    for layer in (1, 2):
        assert (trace.weights(layer)[:, distant] == 0).all()
        assert (trace.weights(layer)[:, ~distant] > 0).all()
    assert_equals_eager(trace, zoo.eager("modernbert"), trace.tokens)


@captured
def test_only_models_that_read_left_to_right_hide_later_tokens(zoo: Zoo, family: str) -> None:
    trace = zoo.backend(family).trace(A)
    later = np.triu(np.ones((len(trace.tokens),) * 2, dtype=bool), 1)
    hidden = [(trace.weights(layer)[:, later] == 0).all() for layer in range(LAYERS)]
    assert all(hidden) is FAMILIES[family].causal
    assert any("left to right" in note for note in trace.notes) is FAMILIES[family].causal


def test_key_heads_that_query_heads_share_are_repeated(zoo: Zoo) -> None:
    trace = zoo.backend("llama").trace(A)
    assert trace.queries(0).shape == trace.keys(0).shape == trace.values(0).shape
    assert_allclose(trace.keys(0)[0], trace.keys(0)[1])
    assert not np.allclose(trace.keys(0)[1], trace.keys(0)[2])


# Silencing -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", [family.name for family in CAPTURED if family.output_projection])
def test_silencing_a_head_equals_zeroing_its_output_columns(zoo: Zoo, family: str) -> None:
    backend, eager = zoo.backend(family), zoo.eager(family)
    tokens = backend.tokenize(A, B)
    silenced = ((0, 1), (2, 0), (2, 3))
    for layer, head in silenced:
        projection = eager.get_submodule(FAMILIES[family].output_projection.format(layer))
        columns = slice(head * K, (head + 1) * K)
        with torch.no_grad():
            if isinstance(projection, nn.Linear):
                projection.weight[:, columns] = 0
            else:  # GPT-2's Conv1D keeps the transpose
                projection.weight[columns] = 0
    trace = backend.run(tokens, silenced_heads=silenced)
    assert trace.silenced_heads == silenced
    assert_equals_eager(trace, eager, tokens)
    assert not np.allclose(trace.hidden_states, backend.run(tokens).hidden_states, atol=1e-3)


@pytest.mark.parametrize("layer", range(LAYERS))
def test_silencing_a_head_of_shared_layers_silences_it_in_one_layer_only(zoo: Zoo, layer: int) -> None:
    backend, eager = zoo.backend("albert"), zoo.eager("albert")
    tokens = backend.tokenize(A, B)
    calls = iter(range(LAYERS))

    def silence(_: nn.Module, inputs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
        context = inputs[0].clone()
        if next(calls) == layer:
            context[..., K : 2 * K] = 0
        return (context,)

    # All layers of ALBERT are one module, so that its calls tell them apart.
    shared = eager.get_submodule("encoder.albert_layer_groups.0.albert_layers.0.attention.dense")
    shared.register_forward_pre_hook(silence)
    trace, plain = backend.run(tokens, silenced_heads=[(layer, 1)]), backend.run(tokens)
    assert_equals_eager(trace, eager, tokens)
    assert_allclose(trace.hidden_states[: layer + 1], plain.hidden_states[: layer + 1], **HIDDEN)
    assert not np.allclose(trace.hidden_states[layer + 1], plain.hidden_states[layer + 1], atol=1e-3)


# The fallback --------------------------------------------------------------------------------------------------------


@eager_only
def test_models_with_their_own_attention_show_returned_weights(zoo: Zoo, family: str) -> None:
    backend = zoo.backend(family)
    assert not backend.captured
    for tokens in (backend.tokenize(A, B), padded(backend.tokenize(A), 5, backend.model.config.pad_token_id)):
        trace = backend.run(tokens)
        assert_equals_eager(trace, zoo.eager(family), tokens)
        assert EAGER_NOTE in trace.notes
        real = sum(tokens.attention_mask)
        assert (trace.weights(0)[:, :real, real:] == 0).all()


@eager_only
def test_what_such_models_keep_to_themselves_is_an_error(zoo: Zoo, family: str) -> None:
    trace = zoo.backend(family).trace(A)
    for asked in (trace.queries, trace.keys, trace.values, trace.scores):
        with pytest.raises(NotCapturedError, match="returns only its weights"):
            asked(0)


# Threads, and what else a run must not touch -------------------------------------------------------------------------


def arrays(trace: Trace) -> Iterator[np.ndarray]:
    yield trace.hidden_states
    yield from trace.embedding_parts.values()
    for layer in trace.layers:
        for array in (layer.query, layer.key, layer.value, layer.bias, layer.given_weights):
            if array is not None:
                yield array


def kept_alive(array: np.ndarray) -> int:
    """Bytes of the memory that an array is a view of."""
    owner: Any = array
    while isinstance(owner, np.ndarray) and owner.base is not None:
        owner = owner.base
    return owner.nbytes if isinstance(owner, np.ndarray) else owner.untyped_storage().nbytes()


@pytest.mark.parametrize("family", list(FAMILIES))
def test_a_trace_keeps_read_only_arrays_and_no_larger_tensor_alive(zoo: Zoo, family: str) -> None:
    backend = zoo.backend(family)
    trace = backend.run(padded(backend.tokenize(A), 3, backend.model.config.pad_token_id or 0))
    for array in arrays(trace):
        assert type(array) is np.ndarray
        assert array.dtype == np.float32
        assert kept_alive(array) <= array.nbytes
        assert not array.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        trace.weights(0)[0, 0, 0] = 1


class Records(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@pytest.mark.parametrize("family", list(FAMILIES))
def test_transformers_has_nothing_to_warn_about(zoo: Zoo, family: str, capfd: pytest.CaptureFixture[str]) -> None:
    zoo.folder(family)
    capfd.readouterr()
    records, logger = Records(), logging.getLogger("transformers")
    logger.addHandler(records)
    try:
        backend = Zoo(zoo.root).backend(family)
        set_verbosity_warning()  # a run is quiet by itself
        trace = backend.run(padded(backend.tokenize(A, B), 2, backend.model.config.pad_token_id or 0))
        assert trace.num_layers == LAYERS
    finally:
        set_verbosity_error()
        logger.removeHandler(records)
    assert records.messages == []
    assert capfd.readouterr() == ("", "")


def test_an_encoder_that_does_not_say_whether_it_is_causal_looks_both_ways(tmp_path: Path) -> None:
    network = build("SplinterModel", "SplinterConfig", **BERT_SIZES)
    backend = load_folder("splinter", save(network, tmp_path / "splinter", wordpiece_tokenizer()))
    network.set_attn_implementation("eager")
    trace = backend.trace(A)
    with torch.no_grad():
        theirs = network(torch.tensor([trace.tokens.ids]), output_attentions=True)
    assert_allclose(trace.weights(0), theirs.attentions[0][0], atol=2e-6)
    assert_allclose(trace.hidden_states[-1], theirs.last_hidden_state[0], atol=2e-5)
