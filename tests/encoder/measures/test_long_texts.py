"""Texts of more tokens than views show: excerpts of their runs, and nothing of the size of all pairs."""

from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from transformers import ModernBertModel

from encoder.errors import ArgumentError
from encoder.measures.head_profiles import head_profiles
from encoder.measures.unit_attention import (
    MEAN,
    attention_between,
    attention_in_layer,
    attention_of_head,
    head_or_mean,
    renormalised,
)
from encoder.measures.units import Special, units_of
from encoder.models.base import Backend
from encoder.models.loading import load_folder
from encoder.runs.arrays import softmax
from encoder.runs.trace import Trace
from encoder.text.tokens import PER_TOKEN, USUAL_TOKENS
from tests.encoder.random_models import LONG, family_folder, run_eager
from viz.payloads.runs import heads_of_trace, neurons_of_trace

TEXT = " ".join([LONG] * 25)  # 650 words
SAME: dict[str, Any] = {"rtol": 0, "atol": 2e-6}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return family_folder(tmp_path_factory.mktemp("long"), "modernbert", max_position_embeddings=1024)


@pytest.fixture(scope="module")
def backend(folder: Path) -> Backend:
    return load_folder("long", folder)


@pytest.fixture(scope="module")
def trace(backend: Backend) -> Trace:
    return backend.trace(TEXT)


def test_a_model_reads_as_many_tokens_as_it_has_positions_for(folder: Path, trace: Trace) -> None:
    assert trace.tokens.max_length == 1024
    assert len(trace.tokens) == 652
    assert trace.tokens.truncated == (0,)
    expected = run_eager(ModernBertModel.from_pretrained(folder, attn_implementation="eager").eval(), trace.tokens)
    for layer, weights in enumerate(expected.attentions):
        assert_allclose(trace.weights(layer), weights[0].numpy(), **SAME)
    assert_allclose(trace.hidden_states[-1], expected.hidden_states[-1][0].numpy(), rtol=1e-5, atol=2e-5)


def test_local_layers_keep_their_window_and_no_mask(trace: Trace) -> None:
    loaded = Trace.from_bytes(trace.to_bytes())
    for layers in (trace.layers, loaded.layers):
        assert [layer.window for layer in layers] == [None, 4, 4]
        assert all(layer.bias is None for layer in layers)
    assert_array_equal(loaded.weights(1), trace.weights(1))


def test_rows_of_a_head_are_those_of_all_weights(trace: Trace) -> None:
    for layer, attention in enumerate(trace.layers):
        assert_allclose(attention.weights_of_rows(2, slice(100, 300)), trace.weights(layer)[2, 100:300], **SAME)


@pytest.fixture(scope="module", params=[0, 100, 10_000])
def excerpt(trace: Trace, request: pytest.FixtureRequest) -> Trace:
    """512 tokens from the first one, within the text, and at its end."""
    return trace.excerpt(request.param)


def test_an_excerpt_has_consecutive_tokens_with_their_states(trace: Trace, excerpt: Trace) -> None:
    rows = _rows(excerpt)
    assert excerpt.tokens.first in (0, 100, len(trace.tokens) - USUAL_TOKENS)
    for name in PER_TOKEN:
        assert getattr(excerpt.tokens, name) == getattr(trace.tokens, name)[rows]
    assert excerpt.tokens.words == trace.tokens.words
    assert_array_equal(excerpt.hidden_states, trace.hidden_states[:, rows])
    assert_array_equal(excerpt.queries(1), trace.queries(1)[:, rows])


def test_an_excerpt_of_a_short_text_is_the_text(backend: Backend) -> None:
    short = backend.trace("A short text.")
    assert short.excerpt(3) is short


def test_an_excerpt_is_not_saved_without_its_text(excerpt: Trace) -> None:
    with pytest.raises(ArgumentError, match="save the whole run"):
        excerpt.to_bytes()


def test_weights_of_an_excerpt_are_those_of_the_whole_text(trace: Trace, excerpt: Trace) -> None:
    rows = _rows(excerpt)
    for layer in range(trace.num_layers):
        assert_allclose(excerpt.weights(layer), trace.weights(layer)[:, rows, rows], **SAME)


@pytest.mark.parametrize("b_starts", [[300, 200], [2, 600], [600, 2]])
def test_an_excerpt_knows_where_sentence_b_starts_if_it_has_both(backend: Backend, b_starts: list[int]) -> None:
    tokens = backend.tokenize(*(" ".join(["time"] * count) for count in b_starts))
    found, start = tokens.excerpt(80), tokens.sentence_b_start
    first = found.first
    assert found.sentence_b_start == (start - first if first < start < first + len(found) else None)


@pytest.mark.parametrize("special", get_args(Special))
def test_units_of_an_excerpt_have_the_weights_that_they_have_in_the_text(
    trace: Trace, excerpt: Trace, special: Special
) -> None:
    whole, units = units_of(trace.tokens, level="words"), units_of(excerpt.tokens, level="words", special=special)
    places = {members: index for index, members in enumerate(whole.members)}
    first = excerpt.tokens.first
    rows = [places[tuple(first + position for position in members)] for members in units.members]
    among_all = attention_between(trace.weights(1), whole)
    expected = among_all[:, rows][:, :, rows]
    found, removed = attention_in_layer(excerpt, 1, units, special)
    assert_allclose(found, renormalised(expected) if special == "renormalise" else expected, **SAME)
    to_special = among_all[:, rows][:, :, [0, -1]].sum(-1) if special != "show" else np.zeros_like(removed)
    assert_allclose(removed, to_special, **SAME)
    for head in (2, MEAN):
        of_head, mass = attention_of_head(excerpt, 1, head, units, special)
        mean = head_or_mean(expected, head)
        assert_allclose(mass, to_special.mean(0) if head == MEAN else to_special[head], **SAME)
        assert_allclose(of_head, renormalised(mean) if special == "renormalise" else mean, **SAME)


def test_profiles_of_an_excerpt_are_means_of_its_rows_over_the_text(trace: Trace, excerpt: Trace) -> None:
    weights, first = trace.weights(0), excerpt.tokens.first
    rows = np.arange(first, first + USUAL_TOKENS)
    profiles = head_profiles(weights[:, rows], trace.tokens.special, first=first)
    assert_allclose(profiles.to_itself, weights[:, rows, rows].mean(-1), rtol=1e-5)
    previous = rows[rows > 0]
    to_previous = weights[:, previous, previous - 1].sum(-1) / USUAL_TOKENS
    assert_allclose(profiles.to_previous, to_previous, rtol=1e-5)
    heads = heads_of_trace(excerpt, units_of(excerpt.tokens), "show")
    assert_allclose(heads.measures["entropy in bits"][0], profiles.entropy_bits, rtol=1e-4)


def test_neuron_view_of_an_excerpt_has_what_its_weights_follow_from(excerpt: Trace) -> None:
    units = units_of(excerpt.tokens)
    found = neurons_of_trace(excerpt, units, "show", (0, 1))
    for layer in (0, 1):
        scores = found.queries[layer] @ found.keys[layer].transpose(0, 2, 1) * found.scaling[layer] + found.bias[layer]
        weights = softmax(scores) * found.excerpt.within[layer][..., None]
        assert_allclose(weights, excerpt.weights(layer), **SAME)
    assert found.excerpt.of == 652


def _rows(excerpt: Trace) -> slice:
    return slice(excerpt.tokens.first, excerpt.tokens.first + USUAL_TOKENS)
