"""The strip's payload: every token with what a person may ask about it."""

import json
from dataclasses import replace
from typing import Any

from encoder.text.tokens import Tokens
from tests.viz.made_up import tokens_of
from viz.payloads.tokens import MAX_WORD, payload


def tokens(**changes: Any) -> Tokens:
    """[CLS] w0 ##1 [SEP] w1 [SEP], as a pair."""
    return replace(tokens_of([2], [1]), token_type_ids=(0, 0, 0, 0, 1, 1), **changes)


def test_payload_tells_every_token_in_order() -> None:
    shown = payload(tokens())
    assert [token["position"] for token in shown["tokens"]] == list(range(6))
    assert [token["id"] for token in shown["tokens"]] == [0, 1, 2, 3, 4, 5]
    assert [token["type"] for token in shown["tokens"]] == [0, 0, 0, 0, 1, 1]
    assert [token["sentence"] for token in shown["tokens"]] == [None, 0, 0, None, 1, None]
    assert [token["word"] for token in shown["tokens"]] == [None, 0, 0, None, 1, None]
    assert [token["special"] for token in shown["tokens"]] == [True, False, False, True, False, True]
    assert (shown["words"], shown["n_sentences"]) == (["word0", "word1"], 2)


def test_only_a_later_piece_of_the_same_word_continues() -> None:
    assert [token["continues"] for token in payload(tokens())["tokens"]] == [False, False, True, False, False, False]


def test_markup_is_kept_and_control_characters_are_shown() -> None:
    pieces = ("[CLS]", "<b>", "##\x00", "[SEP]", "\ud800", "[SEP]")
    shown = payload(tokens(pieces=pieces, labels=pieces))["tokens"]
    assert [token["label"] for token in shown] == ["[CLS]", "<b>", "##⟨U+0000⟩", "[SEP]", "�", "[SEP]"]
    json.dumps(shown, ensure_ascii=False).encode("utf-8")


def test_an_endless_word_is_sent_shortened() -> None:
    word = payload(tokens(words=("x" * 100_000, "flies")))["words"][0]
    assert len(word) == MAX_WORD
    assert "…" in word


def test_sentences_encoded_apart_keep_their_letters() -> None:
    alone = tokens(sentence_ids=(None, 0, 0, None, 0, None), sentences=("unfair flies",), sentence_b_start=None)
    assert [token["sentence"] for token in payload(alone, sentence=1)["tokens"]] == [None, 1, 1, None, 1, None]
    assert payload(alone, sentence=1)["n_sentences"] == 2
