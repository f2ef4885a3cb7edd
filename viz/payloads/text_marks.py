"""The wordpieces of a typed text and the part of it that is read, for its text field."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from typing import Any

from encoder.text.tokens import Tokens

LARGEST_UNIT = "\uffff"  # browsers count a larger character as two


def text_marks(tokens: Tokens, sentence: int) -> dict[str, Any]:
    """The marks of a text field in a sentence, as JSON-able data.

    Args:
        sentence: 0 or 1, its place among `tokens.sentences`.
    Returns:
        `read`: the sentence up to its last token. `cut`: whether tokens after that were truncated. `pieces`: [start,
        end] of every piece of a word with several, in order, without overlap, in UTF-16 units.
    """
    text, cut = tokens.sentences[sentence], tokens.truncated[sentence] > 0
    own = [
        (span, word)
        for span, word, sentence_id in zip(tokens.spans, tokens.word_ids, tokens.sentence_ids, strict=True)
        if sentence_id == sentence and span is not None
    ]
    read = text[: max((end for (_, end), _ in own), default=0)] if cut else text
    count = Counter(word for _, word in own)
    units = _browser_offsets(read)
    pieces: list[list[int]] = []
    last = 0
    for (start, end), word in own:
        if word is not None and count[word] > 1 and last <= start < end:
            pieces.append([units[start], units[end]])
            last = end
    return {"read": read, "cut": cut, "pieces": pieces}


def _browser_offsets(text: str) -> range | list[int]:
    """The number of UTF-16 units before every place in a text."""
    if not text or max(text) <= LARGEST_UNIT:
        return range(len(text) + 1)
    return list(accumulate((1 + (character > LARGEST_UNIT) for character in text), initial=0))
