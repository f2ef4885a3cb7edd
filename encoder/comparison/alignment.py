"""Align two texts by words: the longest common subsequence, with gaps for words that only one text has.

Wordpieces are merged to words. Words are compared case-insensitively. Special tokens are aligned with any special
tokens.

Two tokenizers may cut one text into different words, as in "2,000." and "2", ",", "000", ".". Then words are aligned by
their characters: words up to the next place where both tokenizers cut make one unit. A word that only one of them reads
stays alone.

Source: Wagner and Fischer (1974), "The String-to-String Correction Problem"; without substitutions, a replaced word is
a deletion and an insertion.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from encoder.measures.units import Special, Units, units_of
from encoder.text.common_words import fold_case
from encoder.text.tokens import Tokens

Matching = Literal["number", "likeness"]
"""How heads of two models are paired: those of the same number, or each head of A with the head of B most like it."""
Edge = tuple[int, int]  # the sentence, and its number of characters without spaces up to an edge of a word
Stretch = tuple[int, int, int]  # the sentence, and those of the first and the last edge of a word
Column = tuple[int | None, int | None]  # aligned words of A and B; None = gap


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """The words and shown special tokens of two texts in C columns; each unit is in one column.

    Where two tokenizers cut one text into different words, a unit is several of them.
    """

    a: Units
    b: Units
    columns: tuple[Column, ...]

    @property
    def shared(self) -> tuple[tuple[int, int], ...]:
        """P pairs of aligned units, special tokens included, in order."""
        return tuple((in_a, in_b) for in_a, in_b in self.columns if in_a is not None and in_b is not None)

    @property
    def shared_words(self) -> tuple[tuple[int, int], ...]:
        """W pairs of aligned words, without special tokens."""
        return tuple(pair for pair in self.shared if not self.a.special[pair[0]])

    @property
    def labels(self) -> tuple[str, ...]:
        """C labels of the columns: "−" marks words that only A has, "+" those that only B has."""
        return tuple(self._label(*column) for column in self.columns)

    @property
    def shared_labels(self) -> tuple[str, ...]:
        """P labels of the shared units, in A's spelling."""
        return tuple(self.a.labels[in_a] for in_a, _ in self.shared)

    def _label(self, in_a: int | None, in_b: int | None) -> str:
        if in_a is None:
            return f"+{self.b.labels[in_b]}" if in_b is not None else ""
        return self.a.labels[in_a] if in_b is not None else f"−{self.a.labels[in_a]}"


def align(a: Tokens, b: Tokens, *, special: Special = "show") -> Alignment:
    """Align the words of two texts, or of two pairs; words of the same texts by their characters."""
    in_a, in_b = (units_of(tokens, level="words", special=special) for tokens in (a, b))
    if a.sentences != b.sentences or in_a.labels == in_b.labels:
        return Alignment(a=in_a, b=in_b, columns=align_words(_symbols(in_a), _symbols(in_b)))
    words_a, words_b = _stretches(a, in_a), _stretches(b, in_b)
    cuts = sorted(_edges(words_a) & _edges(words_b))
    keys_a, keys_b = ([_next_cut(word, cuts) for word in words] for words in (words_a, words_b))
    shared = {*keys_a} & {*keys_b}
    in_a, symbols_a = _merged(a, in_a, keys_a, shared, "a")
    in_b, symbols_b = _merged(b, in_b, keys_b, shared, "b")
    return Alignment(a=in_a, b=in_b, columns=align_words(symbols_a, symbols_b))


def _stretches(tokens: Tokens, units: Units) -> list[Stretch | None]:
    """Where each unit begins and ends in its sentence; None for special tokens."""
    found: list[Stretch | None] = []
    for members, is_special in zip(units.members, units.special, strict=True):
        first, last, sentence = tokens.spans[members[0]], tokens.spans[members[-1]], tokens.sentence_ids[members[0]]
        if is_special or first is None or last is None or sentence is None:
            found.append(None)
        else:
            text = tokens.sentences[sentence]
            start, end = (len("".join(text[:edge].split())) for edge in (first[0], last[1]))
            found.append((sentence, start, end))
    return found


def _edges(words: Sequence[Stretch | None]) -> set[Edge]:
    return {(word[0], edge) for word in words if word is not None for edge in word[1:]}


def _next_cut(word: Stretch | None, cuts: Sequence[Edge]) -> Edge | None:
    """The first of the ordered cuts, in the word's sentence, at or after its end.

    A word of blanks alone, which byte-level tokenizers make, belongs to the next word, or else to the last one.
    """
    if word is None:
        return None
    sentence, start, end = word
    places = [bisect_left(cuts, (sentence, end))]
    if start == end:
        places.insert(0, bisect_right(cuts, (sentence, end)))
    return next((cuts[place] for place in places if place < len(cuts) and cuts[place][0] == sentence), None)


def _merged(
    tokens: Tokens, units: Units, keys: Sequence[Edge | None], shared: Set[Edge | None], side: str
) -> tuple[Units, list[Hashable]]:
    """Units with the same key merged if the other text has the key as well, and their symbols for `align_words`."""
    symbols: list[Hashable] = []
    groups: list[list[int]] = []
    for index, (key, is_special) in enumerate(zip(keys, units.special, strict=True)):
        symbol: Hashable = "special" if is_special else key if key is not None and key in shared else (side, index)
        if symbols and symbols[-1] == symbol and not is_special:
            groups[-1].append(index)
        else:
            symbols.append(symbol)
            groups.append([index])
    start = units.sentence_b_start
    in_b = [number for number, group in enumerate(groups) if start is not None and group[0] >= start]
    merged = Units(
        labels=tuple(_surface(tokens, units, group) for group in groups),
        members=tuple(tuple(member for index in group for member in units.members[index]) for group in groups),
        special=tuple(units.special[group[0]] for group in groups),
        sentence_b_start=in_b[0] if in_b else None,
        length=units.length,
    )
    return merged, symbols


def _surface(tokens: Tokens, units: Units, group: Sequence[int]) -> str:
    """The text of some neighbouring units."""
    first, last = units.members[group[0]][0], units.members[group[-1]][-1]
    start, end, sentence = tokens.spans[first], tokens.spans[last], tokens.sentence_ids[first]
    if len(group) == 1 or start is None or end is None or sentence is None:
        return units.labels[group[0]]
    return tokens.sentences[sentence][start[0] : end[1]].strip()


def align_words(a: Sequence[Hashable], b: Sequence[Hashable]) -> tuple[Column, ...]:
    """Align two sequences by a longest common subsequence.

    Of several, the one whose words come first; for a replaced word, the gap in B precedes the gap in A.

    Returns:
        Columns of indices into `a` and `b`. Aligned words are equal, and both sequences keep their order.
    """
    lengths = _common_lengths(a, b)
    columns: list[Column] = []
    row = column = 0
    while row < len(a) and column < len(b):
        if a[row] == b[column]:
            columns.append((row, column))
            row, column = row + 1, column + 1
        elif lengths[row + 1][column] >= lengths[row][column + 1]:
            columns.append((row, None))
            row += 1
        else:
            columns.append((None, column))
            column += 1
    rest_of_a: list[Column] = [(index, None) for index in range(row, len(a))]
    rest_of_b: list[Column] = [(None, index) for index in range(column, len(b))]
    return (*columns, *rest_of_a, *rest_of_b)


def _common_lengths(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[list[int]]:
    """[i][j]: the length of a longest common subsequence of a[i:] and b[j:]."""
    lengths = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for row in reversed(range(len(a))):
        below, own = lengths[row + 1], lengths[row]
        for column in reversed(range(len(b))):
            equal = a[row] == b[column]
            own[column] = below[column + 1] + 1 if equal else max(below[column], own[column + 1])
    return lengths


def _symbols(units: Units) -> list[tuple[bool, str]]:
    """Comparison keys of units: case-folded words; all special tokens are equal."""
    return [
        (is_special, "" if is_special else fold_case(label))
        for label, is_special in zip(units.labels, units.special, strict=True)
    ]
