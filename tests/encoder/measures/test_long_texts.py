"""Texts of more tokens than views show: the rows of the first tokens, and nothing of the size of all pairs."""

from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from transformers import ModernBertModel

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
from encoder.runs.trace import Trace
from encoder.text.tokens import USUAL_TOKENS
from tests.encoder.random_models import LONG, MODERNBERT, build, run_eager, save, wordpiece_tokenizer

TEXT = " ".join([LONG] * 25)  # 650 words
SAME: dict[str, Any] = {"rtol": 0, "atol": 2e-6}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tokenizer = wordpiece_tokenizer()
    settings = MODERNBERT | {"vocab_size": len(tokenizer), "max_position_embeddings": 1024}
    return save(build("ModernBertModel", "ModernBertConfig", **settings), tmp_path_factory.mktemp("long"), tokenizer)


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


@pytest.mark.parametrize("special", get_args(Special))
def test_first_units_have_the_weights_that_they_have_in_the_whole_text(trace: Trace, special: Special) -> None:
    whole, first = (units_of(trace.tokens, level="words", special="show", most=most) for most in (None, USUAL_TOKENS))
    units = units_of(trace.tokens, level="words", special=special, most=USUAL_TOKENS)
    hidden = len(first) - len(units)
    among_all = attention_between(trace.weights(1), whole)
    expected = among_all[:, hidden : len(first), hidden : len(first)]
    found, removed = attention_in_layer(trace, 1, units, special)
    assert_allclose(found, renormalised(expected) if special == "renormalise" else expected, **SAME)
    to_special = among_all[:, hidden : len(first), [0, -1]].sum(-1) if hidden else np.zeros_like(removed)
    assert_allclose(removed, to_special, **SAME)
    for head in (2, MEAN):
        of_head, _ = attention_of_head(trace, 1, head, units, special)
        mean = head_or_mean(expected, head)
        assert_allclose(of_head, renormalised(mean) if special == "renormalise" else mean, **SAME)


def test_profiles_of_the_first_queries_are_means_over_them(trace: Trace) -> None:
    weights = trace.weights(0)
    profiles = head_profiles(weights[:, :USUAL_TOKENS], trace.tokens.special)
    rows = np.arange(USUAL_TOKENS)
    assert_allclose(profiles.to_itself, weights[:, rows, rows].mean(-1), rtol=1e-5)
    assert_allclose(profiles.to_next, weights[:, rows, rows + 1].mean(-1), rtol=1e-5)
