"""What must hold for the tokens of any text."""

from encoder.text.tokens import PER_TOKEN, Tokens

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
