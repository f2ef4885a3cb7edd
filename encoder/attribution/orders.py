"""All methods as orders: the order in which each would remove words to change the model's answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from encoder.attribution.decompx import Biases, decompx_class, integrated_decompx
from encoder.attribution.gradients import Path, gradient_times_input, integrated_gradients
from encoder.attribution.methods import MethodName, input_maps
from encoder.attribution.quantities import ClassQuantity
from encoder.attribution.removals import RemovalGame, greedy_order, guided_order, leave_one_out, shapley_values
from encoder.models.base import Backend
from encoder.runs.arrays import FloatArray
from encoder.text.occurrences import Positions
from encoder.text.tokens import Tokens


@dataclass(frozen=True, slots=True)
class Explained:
    """A text and the model's answer, which is to be explained.

    Attributes:
        units: U, the positions of the tokens that are removed together.
        label, other: the predicted class, and the class that it is compared with.
    """

    backend: Backend
    tokens: Tokens
    units: tuple[Positions, ...]
    label: int
    other: int

    @property
    def log_odds(self) -> ClassQuantity:
        """The answer's log odds against the other class."""
        return ClassQuantity(self.label, (self.other,))

    @property
    def probability(self) -> ClassQuantity:
        """The answer's probability among the two classes."""
        return ClassQuantity(self.label, (self.other,), "probability")

    def of_units(self, values: FloatArray) -> FloatArray:
        """(T,) values of tokens to (U,) sums over units."""
        return np.array([values[list(unit)].sum() for unit in self.units], np.float32)

    def masking(self, quantity: ClassQuantity) -> RemovalGame:
        """The text as a removal game with `[MASK]`."""
        return RemovalGame(self.backend, self.tokens, self.units, quantity, "mask")


Order = tuple[int, ...]  # units in the order of their removal


def largest_first(values: FloatArray) -> Order:
    """The units by falling value; equal values stay in text order."""
    return tuple(int(unit) for unit in np.argsort(-values, kind="stable"))


def _random(text: Explained, seed: int) -> Order:
    return tuple(int(unit) for unit in np.random.default_rng(seed).permutation(len(text.units)))


def _flow(method: MethodName) -> Callable[[Explained, int], Order]:
    """By how much the states that the head pools, a mean over all tokens, take from each token."""

    def order(text: Explained, _: int) -> Order:
        maps = list(input_maps(text.backend, text.backend.run(text.tokens), method))  # (T, T) each
        return largest_first(text.of_units(maps[-1].mean(0)[: len(text.tokens)]))

    return order


def _decompx(biases: Biases) -> Callable[[Explained, int], Order]:
    def order(text: Explained, _: int) -> Order:
        found = decompx_class(text.backend, text.backend.run(text.tokens), text.log_odds, biases=biases)
        return largest_first(text.of_units(found.values))

    return order


def _integrated_decompx(text: Explained, _: int) -> Order:
    return largest_first(text.of_units(integrated_decompx(text.backend, text.tokens, text.log_odds).values))


def _gradient(text: Explained, _: int) -> Order:
    return largest_first(text.of_units(gradient_times_input(text.backend, text.tokens, text.log_odds).values))


def _integrated(path: Path) -> Callable[[Explained, int], Order]:
    def order(text: Explained, _: int) -> Order:
        found = integrated_gradients(text.backend, text.tokens, text.log_odds, path=path)
        return largest_first(text.of_units(found.values))

    return order


def _leave_one_out(text: Explained, _: int) -> Order:
    return largest_first(leave_one_out(text.masking(text.probability)))


def _shapley(text: Explained, seed: int) -> Order:
    return largest_first(shapley_values(text.masking(text.probability), seed=seed))


def _guided(text: Explained, _: int) -> Order:
    """A search guided by integrated DecompX, in log odds: 44 forward passes besides those of DecompX."""
    values = text.of_units(integrated_decompx(text.backend, text.tokens, text.log_odds).values)
    return guided_order(text.masking(text.log_odds), values)


def _greedy(text: Explained, _: int) -> Order:
    return greedy_order(text.masking(text.probability))


ORDERS: Mapping[str, Callable[[Explained, int], Order]] = MappingProxyType(
    {
        "random": _random,
        "gradient-x-input": _gradient,
        "rollout": _flow("rollout"),
        "globenc": _flow("globenc"),
        "alti": _flow("alti"),
        "leave-one-out": _leave_one_out,
        "decompx": _decompx("shared"),
        "decompx-biases-apart": _decompx("apart"),
        "integrated-decompx": _integrated_decompx,
        "integrated-gradients-2": _integrated(Path(2)),
        "integrated-gradients-8": _integrated(Path(8, rule="midpoints")),
        "integrated-gradients": _integrated(Path(20)),
        "guided": _guided,
        "shapley": _shapley,
        "greedy": _greedy,
    }
)
