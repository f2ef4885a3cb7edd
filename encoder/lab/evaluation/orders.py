"""All methods as orders: the order in which each would remove words to change the model's answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from encoder.attribution.gradients import Path, gradient_times_input, integrated_gradients
from encoder.attribution.methods.decompx import Biases, decompx_class, integrated_decompx
from encoder.attribution.methods.maps import MethodName, input_maps
from encoder.attribution.quantities import ClassQuantity
from encoder.attribution.removals import RemovalGame, greedy_order, guided_order, leave_one_out, shapley_values
from encoder.measures.near_ties import largest_first
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
FindOrder = Callable[[Explained, int], Order]  # of a text, with a seed


def _by_tokens(values_of: Callable[[Explained], FloatArray]) -> FindOrder:
    """The order by a method's values of tokens, summed over units."""
    return lambda text, _: largest_first(text.of_units(values_of(text)))


def _flow(method: MethodName) -> FindOrder:
    """By how much the states that the head pools, a mean over all tokens, take from each token."""

    def values_of(text: Explained) -> FloatArray:
        *_, last = input_maps(text.backend, text.backend.run(text.tokens), method)  # (T, T)
        return last.mean(0)[: len(text.tokens)]

    return _by_tokens(values_of)


def _decompx(biases: Biases) -> FindOrder:
    return _by_tokens(
        lambda text: decompx_class(text.backend, text.backend.run(text.tokens), text.log_odds, biases=biases).values
    )


def _integrated(path: Path) -> FindOrder:
    return _by_tokens(lambda text: integrated_gradients(text.backend, text.tokens, text.log_odds, path=path).values)


def _integrated_decompx(text: Explained) -> FloatArray:
    return integrated_decompx(text.backend, text.tokens, text.log_odds).values


def _guided(text: Explained, _: int) -> Order:
    """A search guided by integrated DecompX, in log odds: 44 forward passes besides those of DecompX."""
    return guided_order(text.masking(text.log_odds), text.of_units(_integrated_decompx(text)))


ORDERS: Mapping[str, FindOrder] = {
    "random": lambda text, seed: tuple(np.random.default_rng(seed).permutation(len(text.units)).tolist()),
    "gradient-x-input": _by_tokens(lambda text: gradient_times_input(text.backend, text.tokens, text.log_odds).values),
    "rollout": _flow("rollout"),
    "globenc": _flow("globenc"),
    "alti": _flow("alti"),
    "leave-one-out": lambda text, _: largest_first(leave_one_out(text.masking(text.probability))),
    "decompx": _decompx("shared"),
    "decompx-biases-apart": _decompx("apart"),
    "integrated-decompx": _by_tokens(_integrated_decompx),
    "integrated-gradients-2": _integrated(Path(2)),
    "integrated-gradients-8": _integrated(Path(8, rule="midpoints")),
    "integrated-gradients": _integrated(Path(20)),
    "guided": _guided,
    "shapley": lambda text, seed: largest_first(shapley_values(text.masking(text.probability), seed=seed)),
    "greedy": lambda text, _: greedy_order(text.masking(text.probability)),
}
