"""Norms, cosines and words' states against naive loops."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder import Backend
from encoder.errors import SelectionError, ShapeError
from encoder.measures.similarity import cosines_by_layer, l2_norms, successive_cosines
from encoder.measures.units import occurrence_states, unit_states, units_of, word_mean_matrix, word_states
from encoder.text.tokens import Tokens
from tests.viz.made_up import CLOSE, SEEDS, SPECIALS, TOKENS, tokens_of


@given(SEEDS)
def test_norms_and_cosines_equal_naive_loops(seed: int) -> None:
    states = np.random.default_rng(seed).normal(size=(4, 3, 7)).astype(np.float32)
    before = states.copy()
    lengths, cosines = l2_norms(states), successive_cosines(states)
    assert (lengths.shape, cosines.shape) == ((4, 3), (3, 3))
    for layer in range(4):
        for token in range(3):
            length = sum(float(x) ** 2 for x in states[layer, token]) ** 0.5
            assert lengths[layer, token] == pytest.approx(length, rel=1e-5)
    np.testing.assert_array_equal(cosines, cosines_by_layer(states[:-1], states[1:]))
    np.testing.assert_array_equal(states, before)


def test_a_zero_vector_has_no_direction_and_no_warning() -> None:
    states = np.ones((3, 2, 4), np.float32)
    states[1, 0] = 0
    np.testing.assert_array_equal(l2_norms(states), [[2, 2], [0, 2], [2, 2]])
    np.testing.assert_array_equal(successive_cosines(states), [[0, 1], [0, 1]])


def test_one_array_cannot_be_compared() -> None:
    with pytest.raises(ShapeError, match="at least two"):
        successive_cosines(np.ones((1, 2, 3), np.float32))


@given(TOKENS, SEEDS, st.sampled_from(SPECIALS))
def test_a_words_state_is_the_mean_of_its_pieces(tokens: Tokens, seed: int, special: Any) -> None:
    states = np.random.default_rng(seed).normal(size=(2, len(tokens), 5)).astype(np.float32)
    units = units_of(tokens, level="words", special=special)
    naive = np.stack([sum(states[:, at] for at in members) / len(members) for members in units.members], axis=1)
    np.testing.assert_allclose(unit_states(states, units), naive, **CLOSE)
    np.testing.assert_allclose(unit_states(states, units_of(tokens)), states, **CLOSE)
    assert units_of(tokens).labels == tokens.labels


def test_words_are_means_over_their_own_tokens() -> None:
    mean = word_mean_matrix([(1,), (0, 2, 3)], 4)
    assert mean.dtype == np.float32
    np.testing.assert_allclose(mean, [[0, 1, 0, 0], [1 / 3, 0, 1 / 3, 1 / 3]], **CLOSE)
    states = np.random.default_rng(0).normal(size=(2, 4, 5)).astype(np.float32)
    np.testing.assert_allclose(mean[1] @ states, occurrence_states(states, (0, 2, 3)), **CLOSE)


@pytest.mark.parametrize("positions", [(4,), (0, 4), (-1,)])
def test_tokens_that_a_text_does_not_have_are_refused(positions: tuple[int, ...]) -> None:
    for call in (
        lambda: word_mean_matrix([positions], 4),
        lambda: occurrence_states(np.ones((4, 3), np.float32), positions),
    ):
        with pytest.raises(SelectionError, match=rf"Tokens {re.escape(str(positions))} .* tokens 0 to 3\."):
            call()
        with pytest.raises(ShapeError, match=r"^A word needs at least one token\.$"):
            word_mean_matrix([(0,), ()], 4)


def test_states_of_another_text_are_refused() -> None:
    with pytest.raises(ShapeError, match=r"\(2, 5, 3\).* 4 tokens"):
        unit_states(np.ones((2, 5, 3), np.float32), units_of(tokens_of([1, 1])))


def test_words_have_the_mean_state_of_their_pieces(bundled: Backend) -> None:
    tokens = bundled.tokenize(["unbelievably", "fast", *["time"] * 600])  # lists keep the words that are cut off
    states = np.random.default_rng(0).normal(size=(2, len(tokens), 3)).astype(np.float32)
    found = word_states(states, tokens)
    assert found.shape == (2, 602, 3)
    assert found.dtype == np.float32
    for word in range(602):
        pieces = [position for position, of_word in enumerate(tokens.word_ids) if of_word == word]
        expected = states[:, pieces].mean(axis=1) if pieces else np.full((2, 3), np.nan)
        np.testing.assert_allclose(found[:, word], expected, atol=1e-6)
    assert np.isnan(found[:, -1]).all()
