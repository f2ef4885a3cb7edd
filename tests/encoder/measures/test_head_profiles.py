"""Measures of heads against naive loops, and what must hold for all of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import encoder
from encoder.errors import ShapeError
from encoder.measures.head_profiles import (
    HeadProfiles,
    attended_tokens,
    head_profiles,
    max_pooled,
    mean_entropy_bits,
    pool_starts,
    pooled_halves,
    pooled_units,
    stack_layers,
)
from encoder.measures.units import units_of
from encoder.runs.arrays import FloatArray
from tests.viz.made_up import tokens_of


def weights_of(heads: int, tokens: int, seed: int = 0, sharpness: float = 3.0) -> FloatArray:
    """(H, T, T) rows that sum to 1, some of them nearly one-hot."""
    scores = np.exp(sharpness * np.random.default_rng(seed).normal(size=(heads, tokens, tokens)))
    return (scores / scores.sum(-1, keepdims=True)).astype(np.float32)


def test_profiles_are_what_a_loop_counts() -> None:
    tokens = tokens_of([1, 2], [1])  # [CLS] w ## w [SEP] w [SEP]
    weights = weights_of(2, len(tokens))
    profiles = head_profiles(weights, tokens.special)
    last = len(tokens) - 1
    for head in range(2):
        rows = weights[head]
        separators = np.mean([row[4] + row[6] for row in rows])
        itself = sum(rows[at, at] for at in range(last + 1)) / (last + 1)
        previous = sum(rows[at, at - 1] for at in range(1, last + 1)) / (last + 1)
        following = sum(rows[at, at + 1] for at in range(last)) / (last + 1)
        entropy = np.mean([-sum(weight * np.log2(weight) for weight in row) for row in rows])
        expected = [entropy, separators, itself, previous, following]
        found = [getattr(profiles, name)[head] for name in HeadProfiles.__dataclass_fields__]
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_the_separator_of_a_text_without_words_counts() -> None:
    weights = np.array([[[0.7, 0.3], [0.4, 0.6]]], np.float32)  # (1, 2, 2)
    np.testing.assert_allclose(head_profiles(weights, (True, True)).to_separators, [0.45], rtol=1e-6)


@given(st.integers(1, 4), st.integers(1, 20), st.integers(0, 9), st.floats(0, 30))
def test_entropy_lies_between_one_token_and_all(heads: int, tokens: int, seed: int, sharpness: float) -> None:
    entropy = mean_entropy_bits(weights_of(heads, tokens, seed, sharpness))
    assert (entropy.shape, entropy.dtype) == ((heads,), np.float32)
    assert np.all(entropy >= 0)
    assert np.all(entropy <= np.log2(tokens) + 1e-5)


def test_entropy_of_known_rows() -> None:
    one_token = np.eye(8, dtype=np.float32)
    uniform = np.full((8, 8), 1 / 8, np.float32)
    entropy = mean_entropy_bits(np.stack([one_token, uniform]))
    np.testing.assert_allclose(entropy, [0, 3], atol=1e-6)
    np.testing.assert_allclose(attended_tokens(entropy), [1, 8], rtol=1e-5)


def test_weights_of_another_text_are_refused() -> None:
    with pytest.raises(ShapeError, match=r"Weights are \(1, 3, 3\); 4 tokens need"):
        head_profiles(weights_of(1, 3), tokens_of([1, 1]).special)


def test_the_profiles_of_a_model_are_those_of_its_layers() -> None:
    trace = encoder.load("bundled").trace("time flies like an arrow")
    layers = [head_profiles(trace.weights(layer), trace.tokens.special) for layer in range(trace.num_layers)]
    profiles = stack_layers(layers)
    assert profiles.entropy_bits.shape == (6, 12)
    for name in HeadProfiles.__dataclass_fields__:
        for at, layer in enumerate(layers):
            np.testing.assert_array_equal(getattr(profiles, name)[at], getattr(layer, name), err_msg=name)


@given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 16))
def test_the_halves_of_a_square_are_pooled_apart(first: int, second: int, size: int) -> None:
    weights = weights_of(2, first + second)
    pooled, corner = pooled_halves(weights, first, size), min(first, size)
    for whole, small in ((slice(first), slice(corner)), (slice(first, None), slice(corner, None))):
        np.testing.assert_array_equal(pooled[:, small, :corner], max_pooled(weights[:, whole, :first], size))
        np.testing.assert_array_equal(pooled[:, small, corner:], max_pooled(weights[:, whole, first:], size))
    units = units_of(tokens_of([1] * (first + 2)))
    starts = pool_starts(len(units), size) if len(units) > size else range(len(units))
    few, last = pooled_units(units, size), len(units) - 1
    expected = [(units.labels[start], (start,), start in (0, last)) for start in starts]
    assert list(zip(few.labels, few.members, few.special, strict=True)) == expected


@given(st.integers(1, 60), st.integers(1, 16))
def test_pooling_loses_no_large_weight(tokens: int, size: int) -> None:
    weights = weights_of(2, tokens)
    pooled = max_pooled(weights, size)
    side = min(tokens, size)
    assert pooled.shape == (2, side, side)
    np.testing.assert_array_equal(pooled.max(axis=(1, 2)), weights.max(axis=(1, 2)))
    if tokens <= size:
        np.testing.assert_array_equal(pooled, weights)
    else:
        starts = [index * tokens // size for index in range(size)] + [tokens]
        cell = weights[:, starts[-2] : starts[-1], starts[0] : starts[1]]
        np.testing.assert_array_equal(pooled[:, -1, 0], cell.max(axis=(1, 2)))
