"""Texts into tokens: what is shown of a text is true of it."""

from pathlib import Path

import pytest

from encoder.text.tokenizer import Tokenizer
from tests.encoder.text.token_checks import FLIES, check_invariants, surfaces

# The example that everything is shown with


def test_the_known_sentence_has_berts_ids(tokenizer: Tokenizer) -> None:
    tokens = tokenizer(FLIES[0])
    assert tokens.ids == (101, 2051, 10029, 2066, 2019, 8612, 102)
    assert tokens.pieces == ("[CLS]", "time", "flies", "like", "an", "arrow", "[SEP]")
    assert tokens.labels == tokens.pieces
    assert tokens.words == ("time", "flies", "like", "an", "arrow")
    assert tokens.special == (True, *[False] * 5, True)
    assert tokens.sentence_b_start is None
    assert tokens.truncated == (0,)
    assert tokens.typed_special == ()


def test_the_known_pair_has_13_tokens_and_b_starts_at_7(tokenizer: Tokenizer) -> None:
    tokens = tokenizer(*FLIES)
    assert len(tokens) == 13
    assert tokens.sentence_b_start == 7
    assert tokens.token_type_ids == (0,) * 7 + (1,) * 6
    assert tokens.sentence_ids == (None, *[0] * 5, None, *[1] * 5, None)
    assert tokens.word_ids == (None, 0, 1, 2, 3, 4, None, 5, 6, 7, 8, 9, None)
    assert tokens.sentences == FLIES
    assert tokens.truncated == (0, 0)
    check_invariants(tokens, 30522)


# Truncation


@pytest.mark.parametrize(
    ("a", "b", "kept", "cut"),
    [
        (600, None, (510,), (90,)),
        (510, None, (510,), (0,)),
        (511, None, (510,), (1,)),
        (600, 5, (504, 5), (96, 0)),
        (5, 600, (5, 504), (0, 96)),
        (400, 300, (255, 254), (145, 46)),
        (255, 254, (255, 254), (0, 0)),
    ],
)
def test_truncation_says_how_much_of_which_sentence(
    tokenizer: Tokenizer, a: int, b: int | None, kept: tuple[int, ...], cut: tuple[int, ...]
) -> None:
    tokens = tokenizer("one " * a, None if b is None else "two " * b)
    assert tokens.truncated == cut
    assert tuple(tokens.sentence_ids.count(sentence) for sentence in range(len(kept))) == kept
    assert len(tokens) == sum(kept) + 1 + len(kept)
    assert tokens.pieces[-1] == "[SEP]"
    check_invariants(tokens, 30522)


def test_a_model_with_fewer_positions_cuts_sooner(bundled_folder: Path) -> None:
    tokens = Tokenizer.from_folder(bundled_folder, max_length=16)("one " * 20, "two")
    assert (len(tokens), tokens.max_length, tokens.truncated) == (16, 16, (8, 0))


def test_no_model_is_given_more_than_8192_tokens(bundled_folder: Path) -> None:
    assert Tokenizer.from_folder(bundled_folder, max_length=131_072, folder_length=131_072).max_length == 8192
    assert Tokenizer.from_folder(bundled_folder).max_length == 512


# Words and spans


def test_spans_slice_back_to_the_surface(tokenizer: Tokenizer) -> None:
    tokens = tokenizer("The Unaffable café, cafe\u0301!", "İstanbul’s 🙂")
    assert surfaces(tokens) == ["The", "Una", "ffa", "ble", "café", ",", "cafe\u0301", "!"]
    assert "".join(surfaces(tokens, 1)).replace(" ", "") == "İstanbul’s🙂"


def test_a_list_of_words_keeps_its_words(tokenizer: Tokenizer) -> None:
    tokens = tokenizer(["New York", "is", "unaffable", "."], ["Don't", "!"])
    assert tokens.words == ("New York", "is", "unaffable", ".", "Don't", "!")
    assert tokens.sentences == ("New York is unaffable .", "Don't !")
    assert tokens.word_ids[1:-1] == (0, 0, 1, 2, 2, 2, 3, None, 4, 4, 4, 5)
    assert surfaces(tokens) == ["New", "York", "is", "una", "ffa", "ble", "."]
    assert surfaces(tokens, 1) == ["Don", "'", "t", "!"]
    check_invariants(tokens, 30522)


def test_words_without_a_token_keep_their_place(tokenizer: Tokenizer) -> None:
    tokens = tokenizer(["a", "", " ", "b"], ("", "c"))
    assert tokens.words == ("a", "", " ", "b", "", "c")
    assert tokens.word_ids == (None, 0, 3, None, 5, None)
    assert surfaces(tokens) == ["a", "b"]


# Special tokens that are typed


def test_typed_special_tokens_are_read_as_such_and_said(tokenizer: Tokenizer) -> None:
    tokens = tokenizer("time [MASK] like [SEP] an arrow")
    assert tokens.ids[1:-1] == (2051, 103, 2066, 102, 2019, 8612)
    assert tokens.typed_special == ("[MASK]", "[SEP]")
    assert tokens.words == ("time", "[MASK]", "like", "an", "arrow"), "[MASK] stands for a word, [SEP] for none"
    assert tokens.special == (True, False, False, False, True, False, False, True)
    assert surfaces(tokens)[1] == "[MASK]"
    check_invariants(tokens, 30522)


def test_a_typed_separator_does_not_start_sentence_b(tokenizer: Tokenizer) -> None:
    tokens = tokenizer("a [SEP] b", "c")
    assert tokens.sentence_b_start == 5
    assert tokens.token_type_ids == (0, 0, 0, 0, 0, 1, 1)
