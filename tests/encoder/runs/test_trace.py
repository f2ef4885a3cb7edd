"""A trace is a true and unchangeable record of one run."""

import dataclasses
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from encoder import Backend, Trace
from encoder.errors import ArgumentError, InputError, NotCapturedError, SelectionError, ShapeError
from encoder.models.scratch import ScratchBackend, untrained
from encoder.runs.layer_attention import LayerAttention
from encoder.text.tokens import PER_TOKEN
from encoder.transformer.config import EncoderConfig
from encoder.transformer.encoder import Encoder
from tests.rounding import rounding

FLIES = ("time flies like an arrow", "fruit flies like a banana")
TINY = EncoderConfig(hidden_size=12, num_hidden_layers=2, num_attention_heads=3, intermediate_size=20)
K = TINY.head_width


@pytest.fixture(scope="module")
def tiny(scratch_bert: Backend) -> ScratchBackend:
    """A random encoder, small enough to run hundreds of times, with attention that is not uniform."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        encoder = Encoder(replace(TINY, initializer_range=0.5))
        return untrained("tiny", encoder, scratch_bert.tokenizer)


@pytest.fixture(scope="module")
def trace(tiny: ScratchBackend) -> Trace:
    return tiny.trace(*FLIES)


def softmax(scores: np.ndarray) -> np.ndarray:
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return raised / raised.sum(axis=-1, keepdims=True)


def check_trace(trace: Trace) -> None:
    tokens = len(trace.tokens)
    assert trace.hidden_states.shape[:2] == (trace.num_layers + 1, tokens)
    assert np.isfinite(trace.hidden_states).all()
    for layer in range(trace.num_layers):
        weights = trace.weights(layer)
        assert weights.shape == (trace.num_heads, tokens, tokens)
        assert (weights >= 0).all()
        np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)


# What a trace says


def test_weights_are_the_softmax_of_scaled_queries_and_keys(trace: Trace) -> None:
    for layer in range(trace.num_layers):
        scores = np.einsum("hik,hjk->hij", trace.queries(layer), trace.keys(layer)) / np.sqrt(K)
        np.testing.assert_allclose(trace.scores(layer), scores, atol=rounding(K, 3 * np.abs(scores).max()))
        np.testing.assert_allclose(trace.weights(layer), softmax(scores), atol=rounding(K, 3 * np.abs(scores).max()))
        assert trace.weights(layer).dtype == trace.scores(layer).dtype == np.float32
    check_trace(trace)


def test_embedding_parts_sum_to_what_is_normalised(tiny: ScratchBackend, trace: Trace) -> None:
    assert list(trace.embedding_parts) == ["word", "position", "token type"]
    total = torch.tensor(sum(trace.embedding_parts.values()))
    with torch.no_grad():
        np.testing.assert_allclose(tiny.encoder.embeddings.norm(total).numpy(), trace.hidden_states[0], atol=1e-5)


# Masks


def layer_with(bias: np.ndarray | None, tokens: int = 4) -> LayerAttention:
    random = np.random.default_rng(0)
    query, key, value = random.standard_normal((3, 2, tokens, K)).astype(np.float32)
    return LayerAttention(query=query, key=key, value=value, scaling=0.5, bias=bias)


def test_a_masked_key_has_a_score_of_minus_infinity_and_no_weight() -> None:
    layer = layer_with(np.array([[[0, 0, 0, -np.inf]]], dtype=np.float32))
    assert np.isneginf(layer.scores()[:, :, 3]).all()
    assert (layer.weights()[:, :, 3] == 0).all()
    np.testing.assert_allclose(layer.weights(), softmax(layer.scores()), atol=1e-6)


def test_huge_scores_do_not_overflow() -> None:
    layer = layer_with(None)
    huge = dataclasses.replace(layer, query=layer.captured("query") * np.float32(1e18))
    assert np.isfinite(huge.weights()).all()
    np.testing.assert_allclose(huge.weights().sum(-1), 1, atol=1e-6)


def test_layers_are_counted_from_the_end_as_in_lists(trace: Trace) -> None:
    for what in (trace.weights, trace.scores, trace.queries, trace.keys, trace.values):
        np.testing.assert_array_equal(what(-1), what(1))
        np.testing.assert_array_equal(what(-2), what(0))


# What it refuses


@pytest.mark.parametrize("layer", [-3, 2, 99])
@pytest.mark.parametrize("what", ["weights", "scores", "queries", "keys", "values"])
def test_a_layer_that_is_not_there_is_named(trace: Trace, what: str, layer: int) -> None:
    with pytest.raises(SelectionError, match=rf"Layer {layer} .* layers 0 to 1"):
        getattr(trace, what)(layer)


@pytest.mark.parametrize("what", ["scores", "queries", "keys", "values"])
def test_a_model_that_gave_its_weights_only_has_nothing_else(trace: Trace, what: str) -> None:
    given = LayerAttention(given_weights=np.full((3, 13, 13), 1 / 13, dtype=np.float32))
    weights_only = dataclasses.replace(trace, layers=(given, given))
    assert weights_only.num_heads == 3
    assert weights_only.weights(1) is given.given_weights
    with pytest.raises(NotCapturedError, match="returns only its weights"):
        getattr(weights_only, what)(0)


def test_all_weights_of_a_gigabyte_are_refused_with_their_size(trace: Trace) -> None:
    assert trace.all_weights().shape == (2, 3, 13, 13)
    long = LayerAttention(query=np.zeros((200, 1_600, 1), np.float32), key=np.zeros((200, 1_600, 1), np.float32))
    tokens = replace(trace.tokens, **{name: getattr(trace.tokens, name) * 124 for name in PER_TOKEN})
    states = np.zeros((2, len(tokens), 4), np.float32)
    whole = replace(trace, tokens=tokens, layers=(long,), embedding_parts={}, hidden_states=states)
    with pytest.raises(ArgumentError, match=r"1 layers, 200 heads and 1,600 tokens take 2\.0 GB: .*weights\(layer\)"):
        whole.all_weights()


def test_hidden_states_of_another_length_are_refused(trace: Trace) -> None:
    with pytest.raises(ShapeError, match=r"\(2, 13, 12\).*2 layers and 13 tokens"):
        dataclasses.replace(trace, hidden_states=trace.hidden_states[:2])
    with pytest.raises(ShapeError, match=r"\(3, 12, 12\)"):
        dataclasses.replace(trace, hidden_states=trace.hidden_states[:, 1:])


def test_nothing_in_a_trace_can_be_written(trace: Trace) -> None:
    assert trace.prediction.probabilities is not None
    arrays = [
        trace.hidden_states,
        trace.prediction.logits,
        trace.prediction.probabilities,
        *trace.embedding_parts.values(),
        *(getattr(trace, what)(0) for what in ("weights", "scores", "queries", "keys", "values")),
    ]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        trace.model_name = "another"  # type: ignore[misc]


def test_a_trace_does_not_change_when_the_model_does(tiny: ScratchBackend) -> None:
    trace = tiny.trace(FLIES[0])
    before = [trace.hidden_states.copy(), trace.queries(0).copy(), trace.embedding_parts["word"].copy()]
    originals = {name: parameter.detach().clone() for name, parameter in tiny.encoder.named_parameters()}
    with torch.no_grad():
        for parameter in tiny.encoder.parameters():
            parameter.zero_()
    after = [trace.hidden_states, trace.queries(0), trace.embedding_parts["word"]]
    with torch.no_grad():
        for name, parameter in tiny.encoder.named_parameters():
            parameter.copy_(originals[name])
    assert all(np.array_equal(old, new) for old, new in zip(before, after, strict=True))


# Silenced heads


@pytest.mark.parametrize("head", [(2, 0), (0, 3), (-1, 0), (0, -1), (99, 99)], ids=str)
def test_a_head_that_is_not_there_cannot_be_silenced(tiny: ScratchBackend, head: tuple[int, int]) -> None:
    with pytest.raises(SelectionError, match=rf"L{head[0]} H{head[1]} .* layers 0 to 1 and heads 0 to 2"):
        tiny.trace("a", silenced_heads=[(0, 0), head])


def test_silenced_heads_are_noted_once_and_in_order(tiny: ScratchBackend) -> None:
    assert tiny.trace("a", silenced_heads=[(1, 0), (0, 2), (1, 0)]).silenced_heads == ((0, 2), (1, 0))
    heads = iter([(1, 0)])
    found = [trace.silenced_heads for trace in tiny.traces(["a", "b"], batch_size=1, silenced_heads=heads)]
    assert found == [((1, 0),)] * 2


# Anything at all


@given(text=st.text(st.characters(), max_size=40), other=st.text(st.characters(), max_size=40) | st.none())
@example(text="[CLS] [PAD] [MASK]", other="[SEP]")
@example(text="e" + "\u0301" * 30, other="</script><script>alert(1)</script>")
@example(text="\ud800", other=None)
def test_any_text_gives_a_sound_trace_or_an_input_error(tiny: ScratchBackend, text: str, other: str | None) -> None:
    try:
        trace = tiny.trace(text, other)
    except InputError:
        return
    check_trace(trace)
