"""Align two texts by words: the longest common subsequence, with gaps for words that only one text has.

Wordpieces are merged to words, so that texts of different tokenizers can be aligned. Words are compared
case-insensitively. Special tokens are aligned with any special tokens.

Source: Wagner and Fischer (1974), "The String-to-String Correction Problem"; without substitutions, a replaced word is
a deletion and an insertion.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from encoder.measures.units import Special, Units, units_of
from encoder.text.common_words import fold_case
from encoder.text.tokens import Tokens

Column = tuple[int | None, int | None]  # aligned words of A and B; None = gap


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """The words and shown special tokens of two texts in C columns; each unit is in one column."""

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
    """Align the words of two texts, or of two pairs."""
    units = [units_of(tokens, level="words", special=special) for tokens in (a, b)]
    return Alignment(a=units[0], b=units[1], columns=align_words(*(_symbols(own) for own in units)))


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
