"""Texts that are empty, long, broken or in bytes, and any text at all: tokens, or a sentence on why not."""

import itertools
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from encoder.errors import CheckpointError, InputError
from encoder.text.tokenizer import Tokenizer
from encoder.text.tokens import Text, Tokens
from tests.encoder.text.token_checks import FLIES, check_invariants, check_words_of_text
from tests.encoder.text.tokenizer_families import family

# Nothing to read


@pytest.mark.parametrize(
    "nothing",
    ["", " ", " \t\r\n", "\x00\x01\x1b\x7f", "\u200b\u200d", "\u0301", [], [""], ["", " "], ["\x00"]],
    ids=ascii,
)
def test_an_empty_sentence_is_named(tokenizer: Tokenizer, nothing: Text) -> None:
    other: Text = "a" if isinstance(nothing, str) else ["a"]
    with pytest.raises(InputError, match="Sentence A is empty"):
        tokenizer(nothing)
    with pytest.raises(InputError, match="Sentence A is empty"):
        tokenizer(nothing, other)
    with pytest.raises(InputError, match="Sentence B is empty"):
        tokenizer(other, nothing)


def test_a_sentence_of_which_no_token_is_read_is_named(bundled_folder: Path) -> None:
    with pytest.raises(InputError, match="No token of sentence A is among the 4 that are read"):
        Tokenizer.from_folder(bundled_folder, max_length=4)("a", "b")


def test_a_text_and_a_list_do_not_mix(tokenizer: Tokenizer) -> None:
    with pytest.raises(InputError, match="both as lists"):
        tokenizer("a", ["b"])
    with pytest.raises(InputError, match="both as lists"):
        tokenizer(["a"], "b")


@pytest.mark.parametrize("half", [chr(0xD800), chr(0xDFFF), "a\udc00b"], ids=ascii)
def test_half_a_surrogate_pair_is_refused_with_its_place(tokenizer: Tokenizer, half: str) -> None:
    with pytest.raises(InputError, match=r"Sentence A .*U\+D[0-9A-F]{3}, character"):
        tokenizer(half)
    with pytest.raises(InputError, match="Sentence B"):
        tokenizer("a", half)
    with pytest.raises(InputError, match=r"Sentence A .*character 2"):
        tokenizer(["a", f"\ud83d{half}"])


# A lot to read


def test_ten_thousand_words_are_cut_and_counted(tokenizer: Tokenizer) -> None:
    tokens = tokenizer("word " * 10_000)
    assert (len(tokens), tokens.truncated, len(tokens.words)) == (512, (9_490,), 510)
    listed = tokenizer(["word"] * 10_000)
    assert (len(listed), listed.truncated, len(listed.words)) == (512, (9_490,), 10_000)


@pytest.mark.parametrize(
    "text",
    ["x" * 100_000, "\u4e00" * 33_000, "!" * 100_000, "e" + "\u0301" * 50_000],
    ids=["latin", "cjk", "marks", "zalgo"],
)
def test_100_kb_without_a_space_are_read_in_seconds(tokenizer: Tokenizer, text: str) -> None:
    start = time.process_time()
    tokens = tokenizer(text)
    assert time.process_time() - start < 10
    assert tokens.sentences == (text,)
    check_invariants(tokens, 30522)


# Sharing


def test_threads_do_not_see_each_others_truncation(tokenizer: Tokenizer) -> None:
    inputs: list[tuple[Text, Text | None]] = [
        ("one " * 600, None),
        FLIES,
        ("one " * 400, "two " * 300),
        ("time flies like an arrow", None),
        (["one"] * 5, ["two"] * 600),
    ]
    alone = [tokenizer(*texts) for texts in inputs]
    rounds = 12
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda texts: tokenizer(*texts), inputs * rounds))
    assert all(tokens == expected for tokens, expected in zip(together, itertools.cycle(alone), strict=False))
    assert len(together) == rounds * len(inputs)


# Files


def test_a_corrupt_tokenizer_is_reported(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{")
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(CheckpointError, match=r"The tokenizer in .* cannot be loaded"):
        Tokenizer.from_folder(tmp_path)


# Anything at all


ANY_TEXT = st.text(st.characters(), max_size=60) | st.text(
    st.sampled_from("a don't [MASK] [SEP] [CLS] [PAD]\u0301\u200d\ud83d🙂字א\x00\u2028’'<>"), max_size=60
)
BYTE_LEVEL = family("RoBERTa")
ANY_WORDS = st.lists(st.text(st.characters(), max_size=8), max_size=12)


def tokens_or_input_error(tokenizer: Tokenizer, vocabulary: int, *texts: Text) -> Tokens | None:
    """Anything but an InputError is a bug and fails the test."""
    try:
        tokens = tokenizer(*texts)
    except InputError:
        return None
    check_invariants(tokens, vocabulary)
    return tokens


@given(text=ANY_TEXT, other=ANY_TEXT | st.none())
@example(text="\ud800", other=None)
@example(text="a", other="\x00")
@example(text="['tis[SEP]'t", other="n'")
def test_any_text_gives_tokens_or_an_input_error(tokenizer: Tokenizer, text: str, other: str | None) -> None:
    tokens = tokens_or_input_error(tokenizer, 30522, *[each for each in (text, other) if each is not None])
    if tokens is not None:
        check_words_of_text(tokens)
        assert tokens.sentences == ((text,) if other is None else (text, other)), "no text is lost"


@given(words=ANY_WORDS, other=ANY_WORDS | st.none())
@example(words=[], other=[])
@example(words=["a", ""], other=["\x00", "[SEP]"])
def test_any_words_give_tokens_or_an_input_error(
    tokenizer: Tokenizer, words: list[str], other: list[str] | None
) -> None:
    tokens = tokens_or_input_error(tokenizer, 30522, *[each for each in (words, other) if each is not None])
    if tokens is not None:
        assert tokens.words == (*words, *(other or ()))


@given(text=ANY_TEXT, other=ANY_TEXT | st.none())
def test_any_text_fits_a_byte_level_vocabulary(text: str, other: str | None) -> None:
    tokens = tokens_or_input_error(BYTE_LEVEL, 400, *[each for each in (text, other) if each is not None])
    if tokens is not None:
        check_words_of_text(tokens)
