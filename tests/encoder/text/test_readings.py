"""How a text is read: every typed character is accounted for, by every family of tokenizers."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as RustTokenizer
from tokenizers import decoders, models, normalizers, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from encoder.text.normalising import Normaliser
from encoder.text.readings import Change, ReadCharacter, TextReading, characters_of, reading_of
from encoder.text.tokenizer import Tokenizer
from encoder.text.tokens import Tokens
from tests.encoder.text.tokenizer_families import family

METASPACE = pre_tokenizers.Metaspace()
LETTERS = [*"abcdefghijklmnopqrstuvwxyz", *"ABC東京に.,'", "▁"]


def unigram(normalizer: Any, pre_tokenizer: Any = METASPACE) -> Tokenizer:
    """In the manner of SentencePiece: XLM-R, T5 or ALBERT, by its normalizer."""
    vocabulary = [("<pad>", 0.0), ("<unk>", -9.0), *((letter, -2.0) for letter in LETTERS), ("▁film", -1.0)]
    inner = RustTokenizer(models.Unigram(vocabulary, unk_id=1))
    return _wrapped(inner, normalizer, pre_tokenizer, decoders.Metaspace())


def byte_level(normalizer: Any = None) -> Tokenizer:
    """In the manner of RoBERTa, or of ModernBERT with NFC."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    inner = RustTokenizer(models.BPE({letter: number for number, letter in enumerate(["<pad>", *alphabet])}, []))
    return _wrapped(inner, normalizer, pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel())


def byte_normalizer() -> Tokenizer:
    """The normalizer writes bytes, instead of the pre-tokenizer."""
    made = byte_level(normalizers.Sequence([normalizers.NFKC(), normalizers.ByteLevel()]))
    made.inner.backend_tokenizer.pre_tokenizer = None
    return Tokenizer(made.inner)


def _wrapped(inner: RustTokenizer, normalizer: Any, pre_tokenizer: Any, decoder: Any) -> Tokenizer:
    if normalizer is not None:
        inner.normalizer = normalizer
    inner.pre_tokenizer, inner.decoder = pre_tokenizer, decoder
    return Tokenizer(PreTrainedTokenizerFast(tokenizer_object=inner, pad_token="<pad>", unk_token="<unk>"))


ALBERT = normalizers.Sequence(
    [normalizers.Replace("``", '"'), normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()]
)
FAMILIES: dict[str, Callable[[], Tokenizer]] = {
    "XLM-R": lambda: unigram(normalizers.NFKC()),
    "ALBERT": lambda: unigram(ALBERT),
    "Llama 2": lambda: unigram(normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]), None),
    "dropped punctuation": lambda: unigram(
        None, pre_tokenizers.Sequence([pre_tokenizers.Punctuation("removed"), METASPACE])
    ),
    "Gemma": lambda: family("Gemma"),
    "RoBERTa": byte_level,
    "ModernBERT": lambda: byte_level(normalizers.NFC()),
    "bytes": byte_normalizer,
}


@pytest.fixture(scope="module", params=FAMILIES)
def of_family(request: pytest.FixtureRequest) -> Tokenizer:
    return FAMILIES[request.param]()


def characters(reading: TextReading) -> list[ReadCharacter]:
    return [each for word in reading.words for each in word.characters]


def changed(reading: TextReading, change: Change) -> list[tuple[str, str]]:
    return [(each.typed, each.read_as) for each in characters(reading) if each.change == change]


# Changes


@pytest.mark.parametrize(
    ("text", "change", "found"),
    [
        ("Time FLIES", "lowered", [*"TFLIES"]),
        ("Über café cafe\u0301", "stripped", ["Ü", "é", "e\u0301"]),
        ("かぎ यहाँ", "stripped", ["ぎ", "हाँ"]),
        ("the\u00adre T\x10his \u200bz\ufeff", "lost", ["\u00ad", "\x10", "\u200b", "\ufeff"]),
        ("great👍🏽film, ok", "unknown", [*"great", "👍🏽", *"film"]),
        ("ﬁnd ２", "unknown", ["２"]),
        ("[MASK] of [mask]", "lowered", []),
        ("a  b\n\nc", "lost", []),
    ],
)  # fmt: skip
def test_uncased_bert_says_what_becomes_of_each_character(
    tokenizer: Tokenizer, text: str, change: Change, found: list[str]
) -> None:
    assert [typed for typed, _ in changed(reading_of(tokenizer(text)), change)] == found


@pytest.mark.parametrize(
    ("family", "text", "change", "found"),
    [
        ("XLM-R", "ﬁlm ｆ", "replaced", [("ﬁ", "fi"), ("ｆ", "f")]),
        ("XLM-R", "1-{film}", "unknown", [("1", "1"), ("-", "-"), ("{", "{"), ("}", "}")]),
        ("XLM-R", "東京 に film", "replaced", []),
        ("XLM-R", "東京 に film", "lost", []),
        ("XLM-R", "\u1106\u1161\u1109\u1175\u11af", "unknown", [("\u1106\u1161", "마"), ("\u1109\u1175\u11af", "실")]),
        ("ALBERT", "``film", "unknown", [("``", '"')]),
        ("ALBERT", "Ab é", "lowered", [("A", "a")]),
        ("ALBERT", "Ab é", "stripped", [("é", "e")]),
        ("Llama 2", "Ab  film", "replaced", []),
        ("dropped punctuation", "a, film!", "lost", [(",", ""), ("!", "")]),
        ("Gemma", "Ab é 😂", "unknown", []),
        ("Gemma", "Ab é 😂", "replaced", []),
        ("RoBERTa", "Ab é 😂 \u200b", "kept", [("A", "A"), ("b", "b"), ("é", "é"), ("😂", "😂"), ("\u200b", "\u200b")]),
        ("ModernBERT", "e\u0301", "kept", [("e\u0301", "é")]),
        ("bytes", "é ﬁ", "replaced", [("ﬁ", "fi")]),
    ],
)
def test_spaces_of_a_tokenizer_are_no_loss_and_other_changes_are_said(
    family: str, text: str, change: Change, found: list[tuple[str, str]]
) -> None:
    reading = reading_of(FAMILIES[family]()(text))
    assert [each for each in changed(reading, change) if not each[0].isspace()] == found


def test_tokens_of_one_character_share_it(tokenizer: Tokenizer) -> None:
    [laughs] = reading_of(byte_level()("😂")).words
    assert laughs.positions == (0, 1, 2, 3)
    assert [each.typed for each in laughs.characters] == ["😂"]
    reading = reading_of(tokenizer("unbelievableness 😂 ok"))
    assert [len(word.positions) for word in reading.words] == [1, 2, 1, 1, 1]
    assert (reading.num_pieces, reading.num_words) == (4, 3)


def test_a_run_of_an_earlier_version_keeps_its_characters(tokenizer: Tokenizer) -> None:
    from dataclasses import replace

    reading = reading_of(replace(tokenizer("Über"), rewritten=None))
    assert reading.counts == {"kept": 4}


# Any text


def check_whole(tokens: Tokens, reading: TextReading) -> None:
    """Each token and each typed character is there once, in order; nothing is lost where the text is read as typed."""
    assert [position for word in reading.words for position in word.positions] == list(range(len(tokens)))
    typed = "".join(each.typed for each in characters(reading))
    assert "".join(typed.split()) == "".join("".join(tokens.sentences).split())
    each = (text[slice(*span)] for text in tokens.sentences for span in characters_of(text))
    assert sum(reading.counts.values()) <= sum(not character.isspace() for character in each)


PARTS = [*"aB é.'{\u0301\u200d😂👍🏽ﬁ`東\n\u00ad▁\u1106\u1161", "film", "``"]
TEXTS = st.lists(st.sampled_from(PARTS), max_size=20).map("".join)


@given(text=TEXTS.filter(str.strip))
def test_every_character_of_any_text_is_read_once(of_family: Tokenizer, text: str) -> None:
    from encoder.errors import InputError

    try:
        tokens = of_family(f"a {text}")
    except InputError:
        return
    check_whole(tokens, reading_of(tokens))


@given(text=TEXTS)
def test_changes_give_what_the_normalizer_gives(of_family: Tokenizer, text: str) -> None:
    normaliser = Normaliser(of_family.inner.backend_tokenizer)
    read, end = "", 0
    for (first, last), read_as in normaliser.changes(text):
        read, end = read + text[end:first] + read_as, last
    whole = text if of_family.inner.backend_tokenizer.normalizer is None else normaliser._read(text)
    assert "".join((read + text[end:]).split()) == "".join(whole.split())


def test_of_a_truncated_text_the_rest_is_not_lost(tokenizer: Tokenizer) -> None:
    tokens = tokenizer(" ".join(["time"] * 600))
    reading = reading_of(tokens)
    assert not reading.counts["lost"]
    assert reading.counts["kept"] == 4 * 510
    long = reading_of(tokens.excerpt(0))
    assert long.words == reading.words


def test_pairs_and_lists_are_read_by_their_own_sentence(tokenizer: Tokenizer) -> None:
    pair = reading_of(tokenizer("Über", "time É"))
    typed = [(word.sentence, "".join(each.typed for each in word.characters)) for word in pair.words if word.words]
    assert typed == [(0, "Über"), (1, "time"), (1, "É")]
    assert changed(pair, "stripped") == [("Ü", "u"), ("É", "e")]
    check_whole(pair.tokens, pair)
    listed = reading_of(tokenizer(["Time", "soft\u00adhyphen"]))
    check_whole(listed.tokens, listed)
