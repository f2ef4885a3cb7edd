"""Numbers that are read off a model's hidden states: a part of speech, a word's shift, the similarity of two texts.

What a text is compared with is held fixed: a shift and a similarity are those of one text, whose words can be taken
away, from another one that stays as it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self

import torch
from torch import Tensor
from torch.nn import functional as F

from encoder.errors import SelectionError, ShapeError
from encoder.models.base import BatchOutput
from encoder.runs.arrays import FloatArray
from encoder.shipped.probes import Probes
from encoder.text.occurrences import Positions


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WordQuantity(ABC):
    """What reads one word's state, the mean over its pieces.

    Attributes:
        positions: the word's tokens.
        state_index: which of the hidden states, 0 for the embeddings.
    """

    positions: Positions
    state_index: int

    @abstractmethod
    def __call__(self, output: BatchOutput) -> Tensor:
        """(B,), as every quantity."""

    def at(self, positions: Sequence[int]) -> Self:
        """The same where the word stands elsewhere, because tokens before it were deleted."""
        return replace(self, positions=tuple(positions))

    def state(self, output: BatchOutput) -> Tensor:
        """(B, D). Raises SelectionError where the model has no such state, or the text no such tokens."""
        if not 0 <= self.state_index < len(output.hidden_states):
            raise SelectionError(
                f"State {self.state_index} was asked for; there are 0 to {len(output.hidden_states) - 1}."
            )
        states = output.hidden_states[self.state_index]  # (B, T, D)
        if not self.positions or not all(0 <= position < states.shape[1] for position in self.positions):
            raise SelectionError(f"Tokens {self.positions} were asked for; the text has 0 to {states.shape[1] - 1}.")
        return states[:, list(self.positions)].mean(1)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TagQuantity(WordQuantity):
    """One part of speech of a word, held against another, as a linear probe reads them off its state.

    Attributes:
        weight, bias: (D,) and the number of the probe's two rows, the tag's minus the other's.
        unit: "log odds", or the "probability" of the tag among the two.
    """

    weight: FloatArray
    bias: float
    unit: Literal["log odds", "probability"] = "log odds"

    @classmethod
    def of_probes(cls, probes: Probes, positions: Positions, state_index: int, classes: tuple[int, int]) -> Self:
        """The log-odds of the first of two classes against the second, as the probe of a state reads them."""
        first, second = classes
        weight, bias = probes.weight[state_index], probes.bias[state_index]  # (C, D), (C,)
        return cls(
            positions=positions,
            state_index=state_index,
            weight=weight[first] - weight[second],
            bias=float(bias[first] - bias[second]),
        )

    def __call__(self, output: BatchOutput) -> Tensor:
        """(B,). Raises SelectionError as `state` does, ShapeError where the probe is for states of another width."""
        state = self.state(output)
        log_odds = state @ vector_like(self.weight, state) + self.bias
        return log_odds if self.unit == "log odds" else log_odds.sigmoid()

    @property
    def linear(self) -> bool:
        """Whether it is linear in the word's state."""
        return self.unit == "log odds"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ShiftQuantity(WordQuantity):
    """How far a word's state has turned from a state of another text: 1 minus their cosine, from 0 to 2.

    At a distance of 0 it has no slope, so that gradient × input gives zeros there.

    Attributes:
        other: (D,) the state that it is held against.
        length: of the word's state, held fixed; None = as long as it is.
    """

    other: FloatArray
    length: float | None = None

    def __call__(self, output: BatchOutput) -> Tensor:
        """(B,). Raises SelectionError as `state` does, ShapeError where the other state is of another width."""
        state = self.state(output)
        return 1 - _cosine(state, vector_like(self.other, state), self.length)

    @property
    def linear(self) -> bool:
        """Whether it is linear in the word's state."""
        return self.length is not None

    def held_at(self, output: BatchOutput) -> Self:
        """The same with the length that the word's state has in one run."""
        return replace(self, length=float(self.state(output)[0].norm()))


@dataclass(frozen=True, slots=True, eq=False)
class SimilarityQuantity:
    """The cosine of a text's vector, the mean of its last states, to another text's, from -1 to 1.

    Attributes:
        other: (D,) the other text's vector.
        length: of the text's vector, held fixed; None = as long as it is.
    """

    other: FloatArray
    length: float | None = None

    def __call__(self, output: BatchOutput) -> Tensor:
        """(B,). Raises ShapeError where the other vector is of another width."""
        vector = output.hidden_states[-1].mean(1)  # (B, D)
        return _cosine(vector, vector_like(self.other, vector), self.length)

    @property
    def linear(self) -> bool:
        """Whether it is linear in the text's vector."""
        return self.length is not None

    def held_at(self, output: BatchOutput) -> Self:
        """The same with the length that the text's vector has in one run."""
        return replace(self, length=float(output.hidden_states[-1][0].mean(0).norm()))


def _cosine(vectors: Tensor, other: Tensor, length: float | None) -> Tensor:
    """(B,) cosines of vectors (B, D) to another (D,), where a length is given as if all vectors had it."""
    if length is None:
        return F.cosine_similarity(vectors, other, dim=-1)
    return vectors @ other / (length * other.norm())


def vector_like(vector: FloatArray, states: Tensor) -> Tensor:
    """A vector (D,) as a tensor beside states (..., D). Raises ShapeError where the widths differ."""
    if vector.shape != states.shape[-1:]:
        raise ShapeError(f"A vector of shape {vector.shape} was given for states that are {states.shape[-1]} wide.")
    return torch.tensor(vector).to(states)
