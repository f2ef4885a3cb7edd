"""Which tokens a word is made of, and its state."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder import Backend
from encoder.errors import InputError, SelectionError, ShapeError
from encoder.measures.units import occurrence_states
from encoder.text.occurrences import positions_of_span, positions_of_word, span_of_word


def test_a_word_of_several_pieces_has_all_of_them(bundled: Backend) -> None:
    tokens = bundled.tokenize("unbelievably, don't")
    assert tokens.labels == ("[CLS]", "un", "##bel", "##ie", "##va", "##bly", ",", "don", "'", "t", "[SEP]")
    assert tokens.words == ("unbelievably", ",", "don't")
    assert [positions_of_word(tokens, word) for word in range(3)] == [(1, 2, 3, 4, 5), (6,), (7, 8, 9)]


@pytest.mark.parametrize("word", [-1, 5])
def test_a_word_that_is_not_there_is_named(bundled: Backend, word: int) -> None:
    with pytest.raises(SelectionError, match=rf"Word {word} .* words 0 to 4"):
        positions_of_word(bundled.tokenize("time flies like an arrow"), word)


def test_a_word_that_was_cut_off_is_an_error(bundled: Backend) -> None:
    tokens = bundled.tokenize("a " * 600 + "bank")
    with pytest.raises(InputError, match=r"cut off after 512 tokens"):
        positions_of_span(tokens, (1200, 1204))
    words = bundled.tokenize([*["a"] * 600, "bank"])
    with pytest.raises(InputError, match=r"Word 600 \('bank'\) was cut off.*512 tokens"):
        positions_of_word(words, 600)


@pytest.mark.parametrize(
    ("text", "index", "found"),
    [
        ("He sat on the bank.", 4, "bank"),
        ('"Flies!" she cried.', 0, "Flies"),
        ("a  bank", 2, "bank"),
        ("the well-lit bank's edge", 2, "bank's"),
        ("oh ... bank", 1, "..."),
        ("über Ufer", 0, "über"),
    ],
)
def test_punctuation_around_a_word_is_left_out(text: str, index: int, found: str) -> None:
    assert text[slice(*span_of_word(text, index))] == found


@pytest.mark.parametrize("index", [-1, 1, 3])
def test_a_place_without_a_word_is_refused(index: int) -> None:
    with pytest.raises(SelectionError, match=f"no word {index} "):
        span_of_word("a  b", index)


def test_a_span_in_sentence_b_is_counted_from_its_own_start(bundled: Backend) -> None:
    tokens = bundled.tokenize("time flies", "fruit flies")
    assert positions_of_span(tokens, (5, 10)) == (2,)
    assert positions_of_span(tokens, (6, 11), sentence=1) == (5,)


@given(st.integers(1, 6), st.integers(0, 2**16))
def test_a_state_is_the_mean_over_the_pieces(pieces: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    states = random.normal(size=(3, 8, 5)).astype(np.float32)
    positions = tuple(int(at) for at in random.choice(8, pieces, replace=False))
    naive = sum(states[:, at] for at in positions) / pieces
    np.testing.assert_allclose(occurrence_states(states, positions), naive, rtol=1e-5, atol=1e-6)


def test_states_of_no_token_or_of_one_too_far_are_refused() -> None:
    states = np.zeros((2, 4, 3), np.float32)
    with pytest.raises(ShapeError, match="at least one"):
        occurrence_states(states, ())
    with pytest.raises(SelectionError, match=r"\(1, 4\).*0 to 3"):
        occurrence_states(states, (1, 4))
