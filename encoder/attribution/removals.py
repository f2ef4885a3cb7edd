"""Texts with some of their words taken away, by `[MASK]` or by deletion."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from encoder.attribution.quantities import Quantity, measure
from encoder.attribution.questions import Removal
from encoder.attribution.state_quantities import WordQuantity
from encoder.errors import ArgumentError, UnsupportedModelError
from encoder.measures.units import Level, units_of
from encoder.models.base import Backend
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Prediction
from encoder.text.occurrences import Positions
from encoder.text.tokens import Tokens

Entry = TypeVar("Entry")
PER_TOKEN = (
    *("pieces", "labels", "ids", "token_type_ids", "attention_mask", "special"),
    *("spans", "word_ids", "sentence_ids"),
)


def removable_units(
    tokens: Tokens, *, level: Level = "wordpieces", kept: Collection[int] = ()
) -> tuple[Positions, ...]:
    """What can be taken away from a text, in its order: every wordpiece, or every word with all of its pieces.

    Args:
        kept: positions of tokens that stay, with all of their unit.
    """
    members = units_of(tokens, level=level, special="hide").members
    return tuple(unit for unit in members if not set(unit) & set(kept))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Remainder:
    """What remains of a text without some of its units.

    Attributes:
        text: the text or the pair, as it would be typed.
        is_read_alike: whether the model reads the same tokens where that is typed.
        value: the quantity.
        prediction: of the model's head, where it has one.
    """

    text: tuple[str, str | None]
    is_read_alike: bool
    value: float
    prediction: Prediction | None


@dataclass(frozen=True, slots=True)
class Player:
    """A text whose units can be taken away, and what a model says of what is left.

    A quantity that reads one word's state needs that word: none of its tokens may be in a unit.

    Attributes:
        units: U, the positions of the tokens that go together.
        quantity: what is measured.
    """

    backend: Backend
    tokens: Tokens
    units: tuple[Positions, ...]
    quantity: Quantity
    removal: Removal

    def values(self, gone: Sequence[Collection[int]]) -> FloatArray:
        """(N,) the quantity, for each set of units that are taken away; equal sets are run once."""
        sets = [frozenset(units) for units in gone]
        distinct = list(dict.fromkeys(sets))
        texts, quantities = [self.without(units) for units in distinct], [self._placed(units) for units in distinct]
        measured = measure(self.backend, texts, quantities)
        index = {units: number for number, units in enumerate(distinct)}
        return measured[[index[units] for units in sets]]

    def without(self, units: Collection[int]) -> Tokens:
        """The text without some of its units."""
        return without(self.tokens, self._positions(units), self.removal, backend=self.backend)

    def typed_without(self, units: Collection[int]) -> tuple[str, str | None]:
        """The text or the pair, as it would be typed without some of its units; masks are written out."""
        mask = str(self.backend.tokenizer.inner.mask_token) if self.removal == "mask" else ""
        return remaining_text(self.tokens, dict.fromkeys(self._positions(units), mask))

    def remainder(self, units: Collection[int]) -> Remainder:
        """What remains without some units, and what the model says of it; two forward passes."""
        tokens, (a, b) = self.without(units), self.typed_without(units)
        return Remainder(
            text=(a, b),
            is_read_alike=bool(a) and self.backend.tokenize(a, b or None).ids == tokens.ids,
            value=float(self.values([units])[0]),
            prediction=self.backend.run(tokens).prediction,
        )

    def _positions(self, units: Collection[int]) -> list[int]:
        return [position for unit in units for position in self.units[unit]]

    def _placed(self, units: Collection[int]) -> Quantity:
        """The quantity, where its word stands without some units."""
        if self.removal == "mask" or not isinstance(self.quantity, WordQuantity):
            return self.quantity
        gone = self._positions(units)
        return self.quantity.at([place - sum(each < place for each in gone) for place in self.quantity.positions])


def remaining_text(tokens: Tokens, replaced: Mapping[int, str]) -> tuple[str, str | None]:
    """The text or the pair, as it would be typed where something else stands in place of some tokens.

    Args:
        replaced: by position, what stands there; "" where nothing does.
    """
    left = []
    for number, sentence in enumerate(tokens.sentences):
        text, read = "", 0
        for position in sorted(replaced):
            span = tokens.spans[position]
            if tokens.sentence_ids[position] == number and span is not None:
                text, read = f"{text}{sentence[read : span[0]]} {replaced[position]} ", span[1]
        left.append(" ".join((text + sentence[read:]).split()))
    return left[0], left[1] if len(left) > 1 else None


def without(tokens: Tokens, positions: Collection[int], removal: Removal, *, backend: Backend) -> Tokens:
    """A text without some of its tokens.

    Args:
        positions: which tokens; those that frame the text stay.
        removal: "mask" puts the tokenizer's mask token in their place, "delete" closes the gap.
    Raises:
        ArgumentError: a token that frames the text was to be removed, or nothing would be left to read.
        UnsupportedModelError: the tokenizer has no mask token.
    """
    gone = set(positions)
    if any(tokens.special[position] for position in gone):
        raise ArgumentError("Special tokens frame the text: they cannot be taken away.")
    if removal == "delete":
        kept = [position for position in range(len(tokens)) if position not in gone]
        if not kept:
            raise ArgumentError(
                f"{backend.name} frames a text with no token of its own: without all of its words nothing is left to "
                "read. Take words away by [MASK], or choose a model such as BERT."
            )
        columns: dict[str, Any] = {
            name: tuple(getattr(tokens, name)[position] for position in kept) for name in PER_TOKEN
        }
        sentences = columns["sentence_ids"]
        return replace(tokens, **columns, sentence_b_start=sentences.index(1) if 1 in sentences else None)
    inner = backend.tokenizer.inner
    if inner.mask_token_id is None:
        raise UnsupportedModelError(f"{backend.name} has no mask token: take words away by deletion.")

    def masked(column: tuple[Entry, ...], mask: Entry) -> tuple[Entry, ...]:
        return tuple(mask if position in gone else entry for position, entry in enumerate(column))

    return replace(
        tokens,
        ids=masked(tokens.ids, inner.mask_token_id),
        pieces=masked(tokens.pieces, inner.mask_token),
        labels=masked(tokens.labels, inner.mask_token),
    )
