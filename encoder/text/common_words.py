"""Find the same word in another sentence: the same form, or else another inflection.

Inflections share an English lemma: "flies" matches "fly" and "flew".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from encoder.text.lemmas import lemma
from encoder.text.tokens import Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonWord:
    """A word that occurs in two sentences.

    Attributes:
        name: its case-folded form in A; if B has another inflection, "A / B".
        a, b: its occurrences: indices into `tokens.words`, in order.
        same_form: whether B has the same form.
    """

    name: str
    a: tuple[int, ...]
    b: tuple[int, ...]
    same_form: bool


def fold_case(word: str) -> str:
    """The case-folded word, for comparisons."""
    return word.casefold()


def has_letters(word: str) -> bool:
    """Whether a word has a letter or a digit: punctuation and emoji have none."""
    return any(character.isalnum() for character in word)


def longest_word(tokens: Tokens, words: Iterable[int]) -> int | None:
    """The longest of some words, one with letters if there is any; None without words."""
    return max(words, key=lambda word: (has_letters(tokens.words[word]), len(tokens.words[word])), default=None)


def find_word(tokens: Tokens, word: str) -> tuple[tuple[int, ...], bool]:
    """The occurrences of a word in a text, among the words that the model reads.

    Returns:
        Indices into `tokens.words` of the same form, or else of the same lemma; and whether the form is the same.
    """
    exact = tuple(index for index in tokens.words_read if fold_case(tokens.words[index]) == fold_case(word))
    if exact or not has_letters(word):
        return exact, True
    wanted = lemma(word)
    return tuple(index for index in tokens.words_read if lemma(tokens.words[index]) == wanted), False


def common_forms(a: Tokens, b: Tokens) -> tuple[CommonWord, ...]:
    """The words that two texts share in the same form, in A's order."""
    in_b = _by_form(b)
    return tuple(
        CommonWord(name=name, a=indices, b=in_b[name], same_form=True)
        for name, indices in _by_form(a).items()
        if name in in_b
    )


def common_words(a: Tokens, b: Tokens) -> tuple[CommonWord, ...]:
    """The words that two texts share: same forms in A's order, then other inflections."""
    in_b = _by_form(b)
    inflected = []
    for name, in_a in _by_form(a).items():
        if name not in in_b and (found := find_word(b, name)[0]):
            other = fold_case(b.words[found[0]])
            inflected.append(CommonWord(name=f"{name} / {other}", a=in_a, b=found, same_form=False))
    return (*common_forms(a, b), *inflected)


def _by_form(tokens: Tokens) -> dict[str, tuple[int, ...]]:
    """The indices of the words with letters, by their case-folded form, in order; a typed `[MASK]` is no word."""
    forms: dict[str, tuple[int, ...]] = {}
    pieces = zip(tokens.word_ids, tokens.pieces, strict=True)
    typed_special = {word for word, piece in pieces if piece in tokens.typed_special}
    for index in tokens.words_read:
        if has_letters(tokens.words[index]) and index not in typed_special:
            name = fold_case(tokens.words[index])
            forms[name] = (*forms.get(name, ()), index)
    return forms


def suggest_word(words: tuple[CommonWord, ...]) -> CommonWord | None:
    """The initial word of the lens: the longest with the same form in both, else the longest; None without any."""
    exact = [word for word in words if word.same_form]
    return max(exact or words, key=lambda word: len(word.name), default=None)
