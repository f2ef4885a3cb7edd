"""What a model's tokenizer does with each character that no wordpiece has.

The tokenizer that a page without a server uses has another edition of Unicode, which depends on the browser. So the
page reads characters outside the vocabulary as this table says, and the tokenizer there meets only the others.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final, Literal

Kind = Literal["known", "known alone", "removed", "space", "inside", "alone"]
_AT_ONCE: Final = 2**10  # characters of a text
_BETWEEN: Final = "q"  # a word between two characters


def kinds_of_characters(tokenizer: Any) -> list[tuple[int, Kind]]:
    """The characters of Unicode as runs of one kind: the first one's code, and the kind.

    Args:
        tokenizer: of the library `tokenizers`, with a vocabulary of wordpieces.
    Returns:
        The runs in ascending order. "known" characters can be a part of a wordpiece, or "known alone" are one;
        "inside" a word, or "alone" as a word of one character, the others make it unknown.
    """
    alphabet = set().union(*tokenizer.get_vocab())
    codes = [code for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    kinds: list[tuple[int, Kind]] = []
    for start in range(0, len(codes), _AT_ONCE):
        some = codes[start : start + _AT_ONCE]
        kinds += zip(some, _kinds(tokenizer, some, alphabet), strict=True)
    return [next(run) for _, run in groupby(kinds, key=lambda each: each[1])]


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
