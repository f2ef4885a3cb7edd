"""The token positions of a word in a text."""

from __future__ import annotations

from collections.abc import Sequence

from encoder.errors import InputError, SelectionError
from encoder.text.tokens import Span, Tokens

Positions = tuple[int, ...]


def positions_of_word(tokens: Tokens, word: int) -> Positions:
    """The tokens of one of `tokens.words`.

    Raises:
        SelectionError: there is no such word.
        InputError: it was truncated.
    """
    if not 0 <= word < len(tokens.words):
        raise SelectionError(f"Word {word} was asked for; the text has words 0 to {len(tokens.words) - 1}.")
    positions = tuple(position for position, owner in enumerate(tokens.word_ids) if owner == word)
    if not positions:
        raise InputError(
            f"Word {word} ({tokens.words[word]!r}) was cut off: the model reads {tokens.max_length} tokens. "
            "Shorten the text before it."
        )
    return positions


def positions_of_span(tokens: Tokens, span: Span) -> Positions:
    """The tokens that overlap a span of the first sentence.

    Raises:
        InputError: there are none, because of truncation, or because the tokenizer drops the characters.
    """
    positions = tuple(
        position
        for position, (token_span, sentence) in enumerate(zip(tokens.spans, tokens.sentence_ids, strict=True))
        if token_span is not None and sentence == 0 and token_span[0] < span[1] and span[0] < token_span[1]
    )
    if not positions:
        unread_text = tokens.sentences[0][slice(*span)]
        raise InputError(
            f"The model does not read {unread_text!r} (characters {span[0]} to {span[1]}): it was cut off after "
            f"{tokens.max_length} tokens, or the tokenizer keeps none of it."
        )
    return positions


def with_replaced(tokens: Tokens, positions: Sequence[int], text: str) -> tuple[str, str | None]:
    """The text or pair as it would be typed, with consecutive tokens of one sentence replaced by another text.

    Raises:
        SelectionError: the tokens were not typed, or belong to both sentences.
    """
    spans = [span for position in positions if (span := tokens.spans[position]) is not None]
    owners = {tokens.sentence_ids[position] for position in positions}
    if not spans or owners not in ({0}, {1}):
        raise SelectionError(f"Tokens {list(positions)} do not stand for a word of one sentence.")
    number = 0 if owners == {0} else 1
    sentence = tokens.sentences[number]
    start, end = min(first for first, _ in spans), max(last for _, last in spans)
    start = end - len(sentence[start:end].lstrip())  # the mask of RoBERTa includes the space before it
    sentences = list(tokens.sentences)
    sentences[number] = sentence[:start] + text + sentence[end:]
    return sentences[0], sentences[1] if len(sentences) > 1 else None


def span_of_word(text: str, index: int) -> Span:
    """The span of one word of `text.split(" ")`, without surrounding punctuation unless that is all.

    Raises:
        SelectionError: there is no such word, or it is empty.
    """
    words = text.split(" ")
    if not 0 <= index < len(words) or not words[index]:
        raise SelectionError(f"There is no word {index} in {text[:60]!r}: its words are 0 to {len(words) - 1}.")
    word = words[index]
    start = sum(len(before) + 1 for before in words[:index])
    inner = [offset for offset, character in enumerate(word) if character.isalnum()] or range(len(word))
    return start + inner[0], start + inner[-1] + 1
