"""Texts into tokens: what is shown of a text is true of it, and what cannot be read is said."""

import dataclasses
import itertools
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as RustTokenizer
from tokenizers import decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from encoder.errors import CheckpointError, InputError
from encoder.tokenizer import Tokenizer
from encoder.tokens import Text, Tokens

PER_TOKEN = (
    "pieces",
    "labels",
    "ids",
    "token_type_ids",
    "attention_mask",
    "special",
    "spans",
    "word_ids",
    "sentence_ids",
)
FLIES = ("time flies like an arrow", "fruit flies like a banana")


@pytest.fixture(scope="session")
def tokenizer(bundled_folder: Path) -> Tokenizer:
    return Tokenizer.from_folder(bundled_folder)


@pytest.fixture(scope="session")
def byte_level() -> Tokenizer:
    """A byte-level BPE tokenizer in the manner of RoBERTa, trained here on a few words."""
    inner = RustTokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=["<s>", "</s>", "<pad>", "<mask>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    inner.train_from_iterator([*FLIES, "don't"] * 5, trainer)
    inner.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0), add_prefix_space=False)
    special = {"bos_token": "<s>", "cls_token": "<s>", "eos_token": "</s>", "sep_token": "</s>"}
    return Tokenizer(PreTrainedTokenizerFast(tokenizer_object=inner, **special, pad_token="<pad>", mask_token="<mask>"))


def surfaces(tokens: Tokens, sentence: int = 0) -> list[str]:
    """What stands at the spans of a sentence's tokens."""
    return [
        tokens.sentences[sentence][slice(*span)]
        for span, at in zip(tokens.spans, tokens.sentence_ids, strict=True)
        if span is not None and at == sentence
    ]


def check_invariants(tokens: Tokens, vocabulary: int, max_length: int = 512) -> None:
    lengths = {name: len(getattr(tokens, name)) for name in PER_TOKEN}
    assert set(lengths.values()) == {len(tokens)}, lengths
    assert 0 < len(tokens) <= max_length
    assert all(0 <= token_id < vocabulary for token_id in tokens.ids)
    assert set(tokens.token_type_ids) <= {0, 1}
    assert set(tokens.attention_mask) == {1}
    assert len(tokens.truncated) == len(tokens.sentences)
    assert all(count >= 0 for count in tokens.truncated)
    inside = [at for at in tokens.sentence_ids if at is not None]
    assert inside == sorted(inside)
    assert set(inside) == set(range(len(tokens.sentences)))
    if tokens.sentence_b_start is not None:
        assert tokens.sentence_ids[tokens.sentence_b_start] == 1
        assert 1 not in tokens.sentence_ids[: tokens.sentence_b_start]
    for span, at, special in zip(tokens.spans, tokens.sentence_ids, tokens.special, strict=True):
        assert (span is None) == (at is None)
        assert special or at is not None
        if span is not None and at is not None:
            assert 0 <= span[0] <= span[1] <= len(tokens.sentences[at])
    starts = [(at, span[0]) for span, at in zip(tokens.spans, tokens.sentence_ids, strict=True) if span is not None]
    assert starts == sorted(starts), "pieces stand in the order of the text"
    words = [word for word in tokens.word_ids if word is not None]
    assert words == sorted(words)
    assert all(0 <= word < len(tokens.words) for word in words)
    assert all((word is None) == special for word, special in zip(tokens.word_ids, tokens.special, strict=True))
    for word in set(words):
        positions = [at for at, other in enumerate(tokens.word_ids) if other == word]
        assert positions == list(range(positions[0], positions[-1] + 1)), "a word's pieces stand together"
        assert len({tokens.sentence_ids[at] for at in positions}) == 1, "no word spans both sentences"


def check_words_of_text(tokens: Tokens) -> None:
    """Words found in a text are numbered without gaps and are what the text says."""
    assert sorted({word for word in tokens.word_ids if word is not None}) == list(range(len(tokens.words)))
    for index, word in enumerate(tokens.words):
        assert any(word in sentence for sentence in tokens.sentences), (index, word)


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


def test_no_model_is_given_more_than_512_tokens(bundled_folder: Path) -> None:
    assert Tokenizer.from_folder(bundled_folder, max_length=8192).max_length == 512


# Words and spans


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("don't we'll it’s O'Neill", ("don't", "we'll", "it’s", "O'Neill")),
        ("rock'n'roll", ("rock'n'roll",)),
        ("dogs' food, 'tis said", ("dogs", "'", "food", ",", "'", "tis", "said")),
        ("'quoted' it", ("'", "quoted", "'", "it")),
        ("unaffable embeddings", ("unaffable", "embeddings")),
        ("3.5 km/h (fast!)", ("3", ".", "5", "km", "/", "h", "(", "fast", "!", ")")),
        ("Ünïcode Straße", ("Ünïcode", "Straße")),
        ("cafe\u0301, e\u0301te\u0301", ("cafe\u0301", ",", "e\u0301te\u0301")),
        ("时间飞逝", ("时", "间", "飞", "逝")),
        ("שלום עולם", ("שלום", "עולם")),
        ("مرحبا بالعالم", ("مرحبا", "بالعالم")),
        ("a 🙂 b", ("a", "🙂", "b")),
        ("👩‍👩‍👧 ok", ("👩‍👩‍👧", "ok")),
        ("a\u00a0b\u3000c\u2028d", ("a", "b", "c", "d")),
        ("</script><script>", ("<", "/", "script", ">", "<", "script", ">")),
    ],
    ids=ascii,
)
def test_words_are_the_words_of_the_text(tokenizer: Tokenizer, text: str, words: tuple[str, ...]) -> None:
    tokens = tokenizer(text)
    assert tokens.words == words
    assert tokens.sentences == (text,)
    check_invariants(tokens, 30522)
    check_words_of_text(tokens)


def test_a_word_of_several_pieces_is_one_word(tokenizer: Tokenizer) -> None:
    tokens = tokenizer("embeddings don't")
    assert tokens.pieces[1:-1] == ("em", "##bed", "##ding", "##s", "don", "'", "t")
    assert tokens.word_ids[1:-1] == (0, 0, 0, 0, 1, 1, 1)


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


def test_a_list_and_its_text_give_the_same_tokens(tokenizer: Tokenizer) -> None:
    assert tokenizer(FLIES[0].split(), FLIES[1].split()) == tokenizer(*FLIES)


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


# Nothing to read


@pytest.mark.parametrize(
    "nothing",
    ["", " ", " \t\r\n", "\x00\x01\x1b\x7f", "\u200b\u200d", "\u0301", [], [""], ["", " "], ["\x00"]],
    ids=ascii,
)
def test_nothing_to_read_is_said_with_the_sentence(tokenizer: Tokenizer, nothing: Text) -> None:
    other: Text = "a" if isinstance(nothing, str) else ["a"]
    with pytest.raises(InputError, match="Sentence A is empty"):
        tokenizer(nothing)
    with pytest.raises(InputError, match="Sentence A is empty"):
        tokenizer(nothing, other)
    with pytest.raises(InputError, match="Sentence B is empty"):
        tokenizer(other, nothing)


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


# Byte-level vocabularies


def test_byte_level_labels_can_be_read(byte_level: Tokenizer) -> None:
    tokens = byte_level("time flies, café 🙂")
    assert any("Ġ" in piece for piece in tokens.pieces)
    assert not any(mark in label for label in tokens.labels for mark in "ĠĊÃð")
    assert tokens.labels[0] == "<s>"
    assert tokens.labels[-1] == "</s>"
    assert "time" in tokens.labels
    assert "flies" in tokens.labels
    assert tokens.labels[-5:-1] == ("🙂",) * 4, "every byte of a character is labelled with the character"
    assert tokens.words == ("time", "flies", ",", "café", "🙂")
    check_invariants(tokens, 300)
    check_words_of_text(tokens)


def test_byte_level_contractions_are_one_word(byte_level: Tokenizer) -> None:
    tokens = byte_level("don't we'll dogs' 'quoted")
    assert tokens.words == ("don't", "we'll", "dogs", "'", "'", "quoted")
    check_words_of_text(tokens)


def test_byte_level_spaces_stay_spaces(byte_level: Tokenizer) -> None:
    tokens = byte_level("time\n  flies")
    assert not any("Ġ" in label or "Ċ" in label for label in tokens.labels)
    check_invariants(tokens, 300)
    with pytest.raises(InputError, match="Sentence A is empty"):
        byte_level(" \n ")


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


def test_tokens_cannot_be_changed(tokenizer: Tokenizer) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        tokenizer("a").ids = ()  # type: ignore[misc]


# Files


def test_a_corrupt_tokenizer_is_said(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{")
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(CheckpointError, match=r"The tokenizer in .* cannot be loaded"):
        Tokenizer.from_folder(tmp_path)


# Anything at all


ANY_TEXT = st.text(st.characters(), max_size=60) | st.text(
    st.sampled_from("a don't [MASK] [SEP] [CLS] [PAD]\u0301\u200d\ud83d🙂字א\x00\u2028’'<>"), max_size=60
)
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


@settings(max_examples=60)
@given(text=ANY_TEXT, other=ANY_TEXT | st.none())
def test_any_text_fits_a_byte_level_vocabulary(byte_level: Tokenizer, text: str, other: str | None) -> None:
    tokens = tokens_or_input_error(byte_level, 300, *[each for each in (text, other) if each is not None])
    if tokens is not None:
        check_words_of_text(tokens)
