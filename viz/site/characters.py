"""What the page knows of each character: how the model's tokenizer reads it, what it is in a word, and its width.

The tokenizer that a page without a server uses has another edition of Unicode, which depends on the browser. So the
page reads characters outside the vocabulary as this table says, and the tokenizer there meets only the others.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final, Literal, NamedTuple

from encoder.text.words import ROLES
from viz.figures.labels import em
from viz.wording.labels import runs_from_right

Kind = Literal["known", "known alone", "removed", "space", "inside", "alone"]
UNKNOWN: Final = "\ua000"  # a letter in every edition of Unicode, and in no wordpiece
PARTS: Final[dict[Kind, str]] = {
    "known": "i",
    "inside": "i",
    "known alone": "1",
    "alone": "1",
    "removed": "r",
    "space": "s",
}
_ALIKE: Final = {"Cn", "Co"}  # categories of most of Unicode, whose characters are alike: unassigned and private ones
_AT_ONCE: Final = 2**10  # characters of a text
_BETWEEN: Final = "q"  # a word between two characters
# "known" characters can be a part of a wordpiece, or "known alone" are one. "inside" a word, or "alone" as a word of
# one character, the others make it unknown.
_READ_AS: Final[dict[Kind, str | None]] = {
    "known": None,
    "known alone": None,
    "removed": "",
    "space": " ",
    "inside": UNKNOWN,
    "alone": f" {UNKNOWN} ",
}


class CharacterRange(NamedTuple):
    """Successive characters that are alike.

    Attributes:
        first: the code of the first one.
        read: what the tokenizer reads instead of each; None if it reads it as it is.
        role: in a word, as in `encoder.text.words`.
        em: width in em.
        right: whether it runs from right to left.
        part: whether the tokenizer reads it within a part of a text ("i"), alone ("1"), not at all ("r"), or as a
            space ("s").
    """

    first: int
    read: str | None
    role: str
    em: float
    right: bool
    part: str


def characters(tokenizer: Any) -> list[CharacterRange]:
    """All characters of Unicode as ranges, in ascending order.

    Args:
        tokenizer: of the library `tokenizers`, with a vocabulary of wordpieces.
    """
    alphabet = set().union(*tokenizer.get_vocab())
    codes = [code for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    found: list[CharacterRange] = []
    for start in range(0, len(codes), _AT_ONCE):
        some = codes[start : start + _AT_ONCE]
        kinds = _kinds(tokenizer, some, alphabet)
        if len(set(kinds)) == 1 and _ALIKE.issuperset(map(unicodedata.category, map(chr, some))):
            some = some[:1]  # the first stands for all
        found += (_character(code, kind, tokenizer) for code, kind in zip(some, kinds, strict=False))
    return [next(alike) for _, alike in groupby(found, key=lambda each: each[1:])]


def _character(code: int, kind: Kind, tokenizer: Any) -> CharacterRange:
    character = chr(code)
    # In lower case, browsers tell the Σ at the end of a word from others.
    read = tokenizer.normalizer.normalize_str(character) if character == "Σ" else _READ_AS[kind]
    return CharacterRange(code, read, ROLES[code], em(character), runs_from_right(character), PARTS[kind])


def _kinds(tokenizer: Any, codes: Sequence[int], alphabet: set[str]) -> list[Kind]:
    together = "".join(map(chr, codes))
    become = tokenizer.normalizer.normalize_str(together)
    if not become:
        return ["removed"] * len(codes)
    if (
        become == together
        and alphabet.isdisjoint(become)
        and len(tokenizer.pre_tokenizer.pre_tokenize_str(become)) == 1
    ):
        return ["inside"] * len(codes)
    return [_kind(words, alphabet) for words in _words(tokenizer, codes)]


def _words(tokenizer: Any, codes: Sequence[int]) -> Iterator[list[str]]:
    """What becomes of "a", a character and "b", written together."""
    text = f" {_BETWEEN} ".join(f"a{chr(code)}b" for code in codes)
    words = [word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(tokenizer.normalizer.normalize_str(text))]
    return (list(group) for between, group in groupby(words, key=lambda word: word == _BETWEEN) if not between)


def _kind(words: list[str], alphabet: set[str]) -> Kind:
    become = "".join(words)[1:-1]
    if become and alphabet.issuperset(become):
        return "known" if len(words) == 1 else "known alone"
    if len(words) == 1:
        return "inside" if become else "removed"
    return "alone" if become else "space"
