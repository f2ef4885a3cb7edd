"""What must hold for the tokens of any text."""

import unicodedata

from encoder.text.tokens import PER_TOKEN, Tokens
from encoder.text.words import ROLES

FLIES = ("time flies like an arrow", "fruit flies like a banana")


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
    for word, special, span, at in zip(tokens.word_ids, tokens.special, tokens.spans, tokens.sentence_ids, strict=True):
        text = "" if span is None or at is None else tokens.sentences[at][slice(*span)]
        assert word is None or not special
        assert word is not None or special or not any(map(is_visible, text)), "only what is blank has no word"
        assert word is None or text == " " or not text.isspace(), "what is blank has no word, but a space before one"


def check_words_of_text(tokens: Tokens) -> None:
    """Words are what the text says, in its order: none is blank, and every visible character of a text is in one."""
    assert all(any(map(is_visible, word)) and not set(word) & set(" \n\t\u2028") for word in tokens.words)
    if not tokens.typed_special and not any(tokens.truncated):
        written, words = (filter(is_visible, "".join(texts)) for texts in (tokens.sentences, tokens.words))
        assert "".join(written) == "".join(words)


def is_visible(character: str) -> bool:
    """Whether a character is neither white space nor a control or format character."""
    return unicodedata.category(character) not in ("Cc", "Cf") and ROLES[ord(character)] != "s"
