"""Outputs of a model for a text, as differentiable functions of a batch: what is attributed to the words.

A class, a score, a choice and a masked word are read off a model's head. A part of speech, a word's shift and the
similarity of two texts are read off its hidden states. The text that a choice, a shift or a similarity is compared with
is held fixed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self

import torch
from torch import Tensor
from torch.nn import functional as F

from encoder.errors import SelectionError, ShapeError, UnsupportedModelError
from encoder.models.base import Backend, BatchOutput, batches_by_length
from encoder.models.device import device_of
from encoder.models.interventions import Intervention, hooks_of
from encoder.models.pooling import check_pooling, pooled_states
from encoder.models.tensors import Batch, padded, to_numpy
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import PoolingMode, Trace
from encoder.shipped.probes import Probes
from encoder.text.occurrences import Positions
from encoder.text.tokens import Tokens

OutputNumber = Callable[[BatchOutput], Tensor]  # one number for each text of a batch without padding, (B,)
ROW_TOKENS = 2048  # tokens per batch, padding included


@dataclass(frozen=True, slots=True)
class ClassQuantity:
    """One class of a model's classification head.

    Attributes:
        label: index of the class.
        against: indices of the classes that it is compared with; empty = all others.
        unit: "logit" alone, "log odds" = logit minus the log of the others' summed exponentials, or "probability" of
            the class among itself and the others.
    """

    label: int
    against: tuple[int, ...] = ()
    unit: Literal["logit", "log odds", "probability"] = "log odds"

    def __call__(self, output: BatchOutput) -> Tensor:
        """(B,). Raises UnsupportedModelError without a head, SelectionError if there is no such class."""
        logits = output.logits
        if logits is None:
            raise UnsupportedModelError("This model has no classification head, so no class can be explained.")
        classes = logits.shape[-1]
        against = self.against or tuple(index for index in range(classes) if index != self.label)
        if not all(0 <= index < classes for index in (self.label, *against)):
            raise SelectionError(f"Class {self.label} against {against} was asked for; there are 0 to {classes - 1}.")
        if self.unit == "logit" or not against:
            return logits[:, self.label]
        log_odds = logits[:, self.label] - logits[:, list(against)].logsumexp(-1)
        return log_odds if self.unit == "log odds" else log_odds.sigmoid()

    @property
    def linear(self) -> bool:
        """Whether it is a sum of multiples of the logits."""
        return self.unit == "logit" or (self.unit == "log odds" and len(self.against) == 1)


@dataclass(frozen=True, slots=True)
class ScoreQuantity:
    """The score of a model's regression head, from 0 to 1, or its log odds, the output before the sigmoid."""

    unit: Literal["score", "log odds"] = "log odds"

    def __call__(self, output: BatchOutput) -> Tensor:
        """(B,). Raises UnsupportedModelError without such a head."""
        if output.score is None:
            raise UnsupportedModelError("This model has no regression head, so no score can be explained.")
        return output.score if self.unit == "log odds" else output.score.sigmoid()

    @property
    def linear(self) -> bool:
        """Whether it is the head's output before the sigmoid."""
        return self.unit == "log odds"


@dataclass(frozen=True, slots=True)
class ChoiceQuantity:
    """The probability of one choice where it is compared with one other, whose logit is held fixed.

    Attributes:
        against: the logit of the other choice.
    """

    against: float

    def __call__(self, output: BatchOutput) -> Tensor:
        """(B,). Raises UnsupportedModelError without a head."""
        return (ClassQuantity(0, unit="logit")(output) - self.against).sigmoid()


@torch.no_grad()
def measure(
    backend: Backend,
    texts: Sequence[Tokens],
    quantities: OutputNumber | Sequence[OutputNumber],
    *,
    silenced_heads: Sequence[tuple[int, int]] = (),
) -> FloatArray:
    """The quantity of each of N texts; texts of similar length are batched together.

    Args:
        quantities: one for all texts, or one for each.
        silenced_heads: (layer, head) pairs whose context is replaced by zero.
    Returns:
        (N,) in the unit of the quantity.
    """
    changed = Intervention(silenced_heads=backend.check_heads(silenced_heads))
    of_each = [quantities] * len(texts) if callable(quantities) else list(quantities)
    values = torch.empty(len(texts))
    for rows in batches_by_length(texts, ROW_TOKENS):
        hooks = [hooks_of([changed] * len(rows), num_heads=backend.num_heads)] if silenced_heads else []
        output = backend.run_batch(batch_of(backend, [texts[row] for row in rows]), *hooks)
        for number, row in enumerate(rows):
            values[row] = of_each[row](output.of_row(number, len(texts[row])))[0]
    return to_numpy(values)


def batch_of(backend: Backend, texts: Sequence[Tokens]) -> Batch:
    """Texts padded to one length, on the model's device."""
    return padded(texts, pad_id=backend.pad_id, device=device_of(backend.modules[0]))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PlacedQuantity(ABC):
    """A quantity that reads some tokens of a text alone, which must stay.

    Attributes:
        positions: of these tokens.
    """

    positions: Positions

    @abstractmethod
    def __call__(self, output: BatchOutput) -> Tensor:
        """(B,), one number per text."""

    def at(self, positions: Sequence[int]) -> Self:
        """The same quantity at other positions, after tokens before these were deleted."""
        return replace(self, positions=tuple(positions))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TokenQuantity(PlacedQuantity):
    """The log-odds of one logit of a head that reads each token against another one, or its probability of the two.

    The logits of a tag and of its rival are at the same token, those of two starts of an answer at different ones.

    Attributes:
        chosen, against: each the index of its token in `positions`, and of its logit.
        unit: "log odds", or "probability" where only the two are compared.
    """

    chosen: tuple[int, int]
    against: tuple[int, int]
    unit: Literal["log odds", "probability"] = "log odds"

    def __call__(self, output: BatchOutput) -> Tensor:
        """(B,). Raises UnsupportedModelError without such a head."""
        logits = output.token_logits  # (B, T, C)
        if logits is None:
            raise UnsupportedModelError(
                "This model has no head that reads each token, or none that this method explains."
            )
        first, second = (logits[:, self.positions[index], label] for index, label in (self.chosen, self.against))
        return first - second if self.unit == "log odds" else (first - second).sigmoid()

    @property
    def linear(self) -> bool:
        """Whether it is linear in the logits."""
        return self.unit == "log odds"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WordQuantity(PlacedQuantity):
    """A quantity that reads one word's state, the mean over its pieces.

    Attributes:
        positions: the word's tokens.
        state_index: which of the hidden states, 0 for the embeddings.
    """

    state_index: int

    def state(self, output: BatchOutput) -> Tensor:
        """(B, D). Raises SelectionError if there is no such state or token."""
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
    """One part of speech of a word against another, as a linear probe reads them off its state.

    Attributes:
        weight, bias: (D,) and a number: the probe's row for the tag minus that for the other.
        unit: "log odds", or the "probability" of the tag among the two.
    """

    weight: FloatArray
    bias: float
    unit: Literal["log odds", "probability"] = "log odds"

    @classmethod
    def of_probes(cls, probes: Probes, positions: Positions, state_index: int, classes: tuple[int, int]) -> Self:
        """The log-odds of the first of two classes against the second, by the probe of one hidden state."""
        first, second = classes
        weight, bias = probes.weight[state_index], probes.bias[state_index]  # (C, D), (C,)
        return cls(
            positions=positions,
            state_index=state_index,
            weight=weight[first] - weight[second],
            bias=float(bias[first] - bias[second]),
        )

    def __call__(self, output: BatchOutput) -> Tensor:
        """(B,). Raises SelectionError as `state` does, ShapeError if the probe expects another width."""
        state = self.state(output)
        log_odds = state @ _vector_like(self.weight, state) + self.bias
        return log_odds if self.unit == "log odds" else log_odds.sigmoid()

    @property
    def linear(self) -> bool:
        """Whether it is linear in the word's state."""
        return self.unit == "log odds"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MaskQuantity(PlacedQuantity):
    """One piece of the vocabulary against another at a masked token, by the model's head for masked words.

    Attributes:
        backend: the model, whose head reads the states.
        pieces: ids of the piece, and of the one that it is compared with.
        unit: "log odds", or the "probability" of the piece among the two.
    """

    backend: Backend
    pieces: tuple[int, int]
    unit: Literal["log odds", "probability"] = "log odds"

    def __call__(self, output: BatchOutput) -> Tensor:
        """(B,). Raises UnsupportedModelError without such a head."""
        (position,) = self.positions
        if output.token_logits is not None:
            logits: Tensor | None = output.token_logits[:, position]  # (B, V)
        else:
            logits = self.backend.read_mask(torch.stack(output.hidden_states), position)
        if logits is None:
            raise UnsupportedModelError("This model has no head for masked words, so no word can be explained.")
        log_odds = logits[:, self.pieces[0]] - logits[:, self.pieces[1]]
        return log_odds if self.unit == "log odds" else log_odds.sigmoid()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ShiftQuantity(WordQuantity):
    """A word's shift from a state of another text: 1 minus their cosine, from 0 to 2.

    At a distance of 0 the gradient is zero, and so is gradient × input.

    Attributes:
        other: (D,) the state that it is compared with.
        length: the norm of the word's state, held fixed; None = its actual norm.
    """

    other: FloatArray
    length: float | None = None

    def __call__(self, output: BatchOutput) -> Tensor:
        """(B,). Raises SelectionError as `state` does, ShapeError if the other state has another width."""
        state = self.state(output)
        return 1 - _cosine(state, _vector_like(self.other, state), self.length)

    @property
    def linear(self) -> bool:
        """Whether it is linear in the word's state."""
        return self.length is not None

    def held_at(self, output: BatchOutput) -> Self:
        """The same with the norm held at that of the word's state in one run."""
        return replace(self, length=float(self.state(output)[0].norm()))


@dataclass(frozen=True, slots=True, eq=False)
class SimilarityQuantity:
    """The cosine of a text's vector, its pooled last states, to another text's, from -1 to 1.

    Attributes:
        other: (D,) the other text's vector.
        length: the norm of the text's vector, held fixed; None = its actual norm.
        pooling: of the last states.
    """

    other: FloatArray
    length: float | None = None
    pooling: PoolingMode = "mean"

    @classmethod
    def to_text(cls, trace: Trace) -> Self:
        """The cosine to a traced text. Raises UnsupportedModelError if the model's pooling is not supported."""
        check_pooling(*trace.notes)
        return cls(pooled_states(trace)[-1], pooling=trace.pooling)

    def __call__(self, output: BatchOutput) -> Tensor:
        """(B,). Raises ShapeError if the other vector has another width."""
        vector = output.pooled(self.pooling)  # (B, D)
        return _cosine(vector, _vector_like(self.other, vector), self.length)

    @property
    def linear(self) -> bool:
        """Whether it is linear in the states."""
        return self.length is not None and self.pooling not in ("max", "modules")

    def held_at(self, output: BatchOutput) -> Self:
        """The same with the norm held at that of the text's vector in one run."""
        return replace(self, length=float(output.pooled(self.pooling)[0].norm()))


def _cosine(vectors: Tensor, other: Tensor, length: float | None) -> Tensor:
    """(B,) cosines of vectors (B, D) to another (D,); a given length replaces the vectors' norms."""
    if length is None:
        return F.cosine_similarity(vectors, other, dim=-1)
    return vectors @ other / (length * other.norm())


def _vector_like(vector: FloatArray, states: Tensor) -> Tensor:
    """A vector (D,) as a tensor like states (..., D). Raises ShapeError if the widths differ."""
    if vector.shape != states.shape[-1:]:
        raise ShapeError(f"A vector of shape {vector.shape} was given for states that are {states.shape[-1]} wide.")
    return torch.tensor(vector).to(states)
