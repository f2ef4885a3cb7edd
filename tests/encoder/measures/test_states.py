"""Norms, cosines and words' states against naive loops."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder import Backend
from encoder.errors import ShapeError
from encoder.measures.norms import l2_norms, successive_cosines
from encoder.measures.units import states_of, units_of
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
    for layer in range(3):
        for token in range(3):
            x, y = states[layer, token].astype(float), states[layer + 1, token].astype(float)
            cosine = sum(x * y) / sum(x * x) ** 0.5 / sum(y * y) ** 0.5
            assert cosines[layer, token] == pytest.approx(cosine, abs=1e-5)
    np.testing.assert_array_equal(states, before)


def test_a_zero_vector_has_no_direction_and_no_warning() -> None:
    states = np.ones((3, 2, 4), np.float32)
    states[1, 0] = 0
    np.testing.assert_array_equal(l2_norms(states), [[2, 2], [0, 2], [2, 2]])
    np.testing.assert_array_equal(successive_cosines(states), [[0, 1], [0, 1]])


@given(SEEDS)
def test_cosines_never_leave_their_range(seed: int) -> None:
    state = np.random.default_rng(seed).normal(size=(1, 5, 30)).astype(np.float32)
    cosines = successive_cosines(np.concatenate([state, state, -state]))
    assert np.abs(cosines).max() <= 1
    np.testing.assert_allclose(cosines, [[1] * 5, [-1] * 5], **CLOSE)


def test_one_array_cannot_be_compared() -> None:
    with pytest.raises(ShapeError, match="at least two"):
        successive_cosines(np.ones((1, 2, 3), np.float32))


@given(TOKENS, SEEDS, st.sampled_from(SPECIALS))
def test_a_words_state_is_the_mean_of_its_pieces(tokens: Tokens, seed: int, special: Any) -> None:
    states = np.random.default_rng(seed).normal(size=(2, len(tokens), 5)).astype(np.float32)
    units = units_of(tokens, level="words", special=special)
    naive = np.stack([sum(states[:, at] for at in members) / len(members) for members in units.members], axis=1)
    np.testing.assert_allclose(states_of(states, units), naive, **CLOSE)
    np.testing.assert_allclose(states_of(states, units_of(tokens)), states, **CLOSE)


def test_states_of_another_text_are_refused() -> None:
    with pytest.raises(ShapeError, match=r"\(2, 5, 3\).* 4 tokens"):
        states_of(np.ones((2, 5, 3), np.float32), units_of(tokens_of([1, 1])))


def test_flies_the_verb_and_flies_the_noun_part_with_depth(bundled: Backend) -> None:
    """The page's opening example, encoded separately: what the README and the design say about it."""
    time_flies = bundled.trace("time flies like an arrow")
    fruit_flies = bundled.trace("fruit flies like a banana")
    assert time_flies.tokens.labels[2] == fruit_flies.tokens.labels[2] == "flies"
    verb, noun = time_flies.hidden_states[:, 2], fruit_flies.hidden_states[:, 2]
    cosines = [successive_cosines(np.stack([x, y])[:, None]).item() for x, y in zip(verb, noun, strict=True)]
    assert cosines == pytest.approx([1.000, 0.917, 0.903, 0.871, 0.807, 0.808, 0.631], abs=0.002)
