"""Which tokens a word is made of, and its state."""

import pytest

from encoder import Backend
from encoder.errors import InputError, SelectionError
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
    tokens = bundled.tokenize("a " * 300 + "bank")
    with pytest.raises(InputError, match=r"cut off after 256 tokens"):
        positions_of_span(tokens, (600, 604))
    words = bundled.tokenize([*["a"] * 300, "bank"])
    with pytest.raises(InputError, match=r"Word 300 \('bank'\) was cut off.*256 tokens"):
        positions_of_word(words, 300)


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
