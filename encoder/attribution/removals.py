"""Remove words from a text, by `[MASK]` or by deletion: one by one, in random orders, or by search."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from encoder.attribution.quantities import OutputNumber, PlacedQuantity, measure
from encoder.attribution.questions import Removal
from encoder.errors import ArgumentError, UnsupportedModelError
from encoder.measures.near_ties import first_largest, largest_first
from encoder.measures.units import Level, units_of
from encoder.models.base import Backend
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Prediction
from encoder.text.occurrences import Positions
from encoder.text.tokens import PER_TOKEN, Tokens

Entry = TypeVar("Entry")
PERMUTATIONS = 16  # of Shapley sampling: with 8, the AOPC of its orders is .654 instead of .661


def removable_units(
    tokens: Tokens, *, level: Level = "wordpieces", kept: Collection[int] = ()
) -> tuple[Positions, ...]:
    """The units that can be removed from a text: wordpieces, or whole words; units with a `kept` token must stay."""
    members = units_of(tokens, level=level, special="hide").members
    return tuple(unit for unit in members if not set(unit) & set(kept))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Remainder:
    """What remains of a text without some of its units, as it would be typed, with the quantity and the prediction.

    `is_read_alike` says whether the model reads the same tokens if that is typed.
    """

    text: tuple[str, str | None]
    is_read_alike: bool
    value: float
    prediction: Prediction | None


@dataclass(frozen=True, slots=True)
class RemovalGame:
    """A text whose units can be removed, and the model's output for what remains.

    If the quantity reads some tokens alone, none of them may be in a unit.

    Attributes:
        units: U, the positions of the tokens that are removed together.
        quantity: the output to measure.
    """

    backend: Backend
    tokens: Tokens
    units: tuple[Positions, ...]
    quantity: OutputNumber
    removal: Removal

    def values(self, gone: Sequence[Collection[int]]) -> FloatArray:
        """(N,) the quantity for each set of removed units; equal sets are run once."""
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
        """The text or pair as it would be typed without some of its units, with masks spelled out."""
        mask = str(self.backend.tokenizer.inner.mask_token) if self.removal == "mask" else ""
        return _remaining_text(self.tokens, dict.fromkeys(self._positions(units), mask))

    def remainder(self, units: Collection[int]) -> Remainder:
        """What remains without some units, and the model's output for it; two forward passes."""
        tokens, (a, b) = self.without(units), self.typed_without(units)
        return Remainder(
            text=(a, b),
            is_read_alike=bool(a) and self.backend.tokenize(a, b or None).ids == tokens.ids,
            value=float(self.values([units])[0]),
            prediction=self.backend.run(tokens).prediction,
        )

    def _positions(self, units: Collection[int]) -> list[int]:
        return [position for unit in units for position in self.units[unit]]

    def _placed(self, units: Collection[int]) -> OutputNumber:
        """The quantity at the position that its word has without some units."""
        if self.removal == "mask" or not isinstance(self.quantity, PlacedQuantity):
            return self.quantity
        gone = self._positions(units)
        return self.quantity.at([place - sum(each < place for each in gone) for place in self.quantity.positions])


def _remaining_text(tokens: Tokens, replaced: Mapping[int, str]) -> tuple[str, str | None]:
    """The text or pair as it would be typed with tokens replaced by position; "" removes a token."""
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
        positions: the tokens to remove; special tokens cannot be removed.
        removal: "mask" replaces them by the tokenizer's mask token, "delete" closes the gap.
    Raises:
        ArgumentError: a special token was to be removed, or no token would remain.
        UnsupportedModelError: the tokenizer has no mask token.
    """
    gone = set(positions)
    if any(tokens.special[position] for position in gone):
        raise ArgumentError("Special tokens cannot be removed.")
    if removal == "delete":
        kept = [position for position in range(len(tokens)) if position not in gone]
        if not kept:
            raise ArgumentError(
                f"{backend.name} adds no special tokens: without all of its words, no token is left to read. "
                "Remove words by [MASK], or choose a model such as BERT."
            )
        columns: dict[str, Any] = {
            name: tuple(getattr(tokens, name)[position] for position in kept) for name in PER_TOKEN
        }
        sentences = columns["sentence_ids"]
        return replace(tokens, **columns, sentence_b_start=sentences.index(1) if 1 in sentences else None)
    inner = backend.tokenizer.inner
    if inner.mask_token_id is None:
        raise UnsupportedModelError(f"{backend.name} has no mask token: remove words by deletion.")

    def masked(column: tuple[Entry, ...], mask: Entry) -> tuple[Entry, ...]:
        return tuple(mask if position in gone else entry for position, entry in enumerate(column))

    return replace(
        tokens,
        ids=masked(tokens.ids, inner.mask_token_id),
        pieces=masked(tokens.pieces, inner.mask_token),
        labels=masked(tokens.labels, inner.mask_token),
    )


def leave_one_out(game: RemovalGame) -> FloatArray:
    """(U,) the fall of the quantity when each unit alone is removed; U + 1 forward passes.

    Source: Li et al. (2016), "Understanding neural networks through representation erasure".
    """
    count = len(game.units)
    values = game.values([(), *((unit,) for unit in range(count))])  # (U + 1,)
    return values[0] - values[1:]


def shapley_values(
    game: RemovalGame, *, permutations: int = PERMUTATIONS, seed: int = 0, progress: Progress = no_progress
) -> FloatArray:
    """Mean rise of the quantity when a unit is added to those before it, over random orders.

    Every second order is the reverse of the one before, so that their errors partly cancel. The values sum to the
    quantity of the text minus that of the text without all units. Exchangeable units get equal values as the number of
    orders grows.

    Args:
        permutations: number of orders; each takes U + 1 forward passes, except for sets that were run before.
    Returns:
        (U,) in the quantity's unit.
    Raises:
        ArgumentError: no permutations.
    Source: Strumbelj and Kononenko (2010), algorithm 1; Mitchell et al. (2022), section 4, for orders in pairs.
    """
    if permutations < 1:
        raise ArgumentError(f"{permutations} permutations were asked for; at least 1 is needed.")
    count, generator = len(game.units), np.random.default_rng(seed)
    total = np.zeros(count, dtype=np.float32)  # (U,)
    order = np.arange(count)
    for number in range(permutations):
        order = order[::-1] if number % 2 else generator.permutation(count)  # (U,)
        values = game.values([order[added:].tolist() for added in range(count + 1)])  # (U + 1,)
        total[order] += np.diff(values)
        progress(number + 1, permutations)
    return (total / permutations).astype(np.float32)


def greedy_order(game: RemovalGame, *, progress: Progress = no_progress) -> tuple[int, ...]:
    """Greedy search: in each step the unit whose removal lowers the quantity most; U (U + 1) / 2 - 1 forward passes.

    It serves as the upper baseline: orders derived from values per unit hardly do better.
    """
    order: list[int] = []
    count = len(game.units)
    while len(order) < count:
        left = [unit for unit in range(count) if unit not in order]
        order.append(left[first_largest(-game.values([(*order, unit) for unit in left])) if len(left) > 1 else 0])
        progress(len(order), count)
    return tuple(order)


def guided_order(game: RemovalGame, values: FloatArray, *, candidates: int = 4, steps: int = 11) -> tuple[int, ...]:
    """Greedy search among the units that a method ranks first, then the rest in the method's order.

    Each step tries the remaining units of largest value, and removes the one that lowers the quantity most. At most
    `candidates` * `steps` forward passes, whatever the length of the text.
    """
    left = list(largest_first(values))
    order: list[int] = []
    for _ in range(min(steps, len(left) - 1)):
        tried = left[:candidates]
        found = game.values([(*order, unit) for unit in tried])
        order.append(left.pop(first_largest(-found)))
    return (*order, *left)
