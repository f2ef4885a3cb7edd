"""Characters as users see them: with their marks, and whole emoji."""

from __future__ import annotations

import unicodedata

from encoder.text.tokens import Span

JOINER = "\u200d"
_NON_JOINER = "\u200c"


def characters_of(text: str) -> list[Span]:
    """The span of each character.

    Marks, joiners, variation selectors, skin tones, tags, and what a joiner joins belong to the character before; two
    regional indicators are a flag. Nothing belongs to white space.
    """
    if text.isascii():
        return [(index, index + 1) for index in range(len(text))]
    spans: list[Span] = []
    flag_starts = False
    for index, character in enumerate(text):
        is_regional = "\U0001f1e6" <= character <= "\U0001f1ff"
        before = text[index - 1 : index]
        joins = bool(before) and not before.isspace()
        if joins and (_continues(character) or before == JOINER or (is_regional and flag_starts)):
            spans[-1] = (spans[-1][0], index + 1)
            flag_starts = False
        else:
            spans.append((index, index + 1))
            flag_starts = is_regional
    return spans


def _continues(character: str) -> bool:
    return (
        unicodedata.category(character).startswith("M")
        or character in (JOINER, _NON_JOINER)
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )
