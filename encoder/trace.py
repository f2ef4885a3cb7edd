"""One run of an encoder, as an immutable record of numpy arrays.

A trace keeps queries, keys and values; attention weights are derived when they are asked for, one layer at a
time, because at 512 tokens the weights of BERT-base weigh 151 MB and its queries and keys 38 MB.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from encoder.errors import NotCapturedError, NotFiniteError, SelectionError, ShapeError
from encoder.text.tokens import Tokens

FloatArray = NDArray[np.float32]
NamedArray = tuple[str, FloatArray]  # what a message calls an array, and the array


def name_unusable(arrays: Iterable[NamedArray]) -> str | None:
    """The first array that nothing can be computed from, and what it holds; None where there is none.

    An array is usable where the sum of its squares is finite. That takes one pass and no copy, finds NaN and infinity,
    and makes sure that no norm or dot product of usable arrays overflows (by the Cauchy-Schwarz inequality).

    Returns:
        For example "numbers that are NaN in the queries of layer 3".
    """
    with np.errstate(over="ignore", invalid="ignore"):
        for name, array in arrays:
            numbers = array.ravel()
            if not np.isfinite(np.dot(numbers, numbers)):
                return f"{_unusable_numbers(numbers)} in {name}"
    return None


def _unusable_numbers(numbers: FloatArray) -> str:
    if np.isnan(numbers).any():
        return "numbers that are NaN"
    if np.isinf(numbers).any():
        return "infinite numbers"
    return f"numbers as large as {np.abs(numbers).max():.0e}"


def check_finite(model_name: str, arrays: Iterable[NamedArray]) -> None:
    """Refuse a run with unusable numbers.

    Args:
        arrays: in the order in which they were computed, because the first unusable one spoils those behind it.
    Raises:
        NotFiniteError: one of them is unusable, as `name_unusable` says.
    """
    found = name_unusable(arrays)
    if found:
        raise NotFiniteError(
            f"This run of {model_name} cannot be shown, because there are {found}: the model's weights are damaged or "
            "too large, so get its files again or load another model."
        )


def name_states(index: int) -> str:
    """What a message calls one of the L + 1 hidden states."""
    return "the embedding output" if index == 0 else f"the states after layer {index - 1}"


def softmax(scores: NDArray[np.floating]) -> FloatArray:
    """Probabilities over the last axis.

    Args:
        scores: (..., C); -inf gets a probability of 0.
    Returns:
        (..., C) float32. Rows sum to 1, but for a row of -inf alone, which is all 0.
    """
    largest = np.maximum(scores.max(axis=-1, keepdims=True), np.finfo(np.float32).min)
    exponentials = np.exp(scores - largest)
    total = exponentials.sum(axis=-1, keepdims=True)
    np.divide(exponentials, total, out=exponentials, where=total > 0)
    return exponentials.astype(np.float32, copy=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What a model's head says about the text.

    `probabilities` is None for a pure regression; `score` is None where there is no regression head, and
    `score_range` where its ends are not known.
    """

    labels: tuple[str, ...]
    logits: FloatArray  # (C,)
    probabilities: FloatArray | None  # (C,)
    score: float | None = None
    score_range: tuple[float, float] | None = None
    trained: bool = True
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerAttention:
    """Attention of one layer: queries, keys and values, or the weights alone where a model hands out nothing else.

    Where a decoder attends to an encoder's output, the keys and values are of the S tokens of the source, and the
    bias and the weights are (H, T, S).
    """

    query: FloatArray | None = None  # (H, T, K)
    key: FloatArray | None = None  # (H, T, K)
    value: FloatArray | None = None  # (H, T, K)
    scaling: float = 1.0
    bias: FloatArray | None = None  # broadcastable to (H, T, T), added to the scores; -inf = may not be attended
    given_weights: FloatArray | None = None  # (H, T, T)

    def __post_init__(self) -> None:
        for array in (self.query, self.key, self.value, self.bias, self.given_weights):
            if array is not None:
                array.flags.writeable = False

    @property
    def num_heads(self) -> int:
        """H."""
        return len(self.captured("query") if self.given_weights is None else self.given_weights)

    @property
    def shape(self) -> tuple[int, int]:
        """How many queries and how many keys there are: (T, T), or (T, S) where a decoder attends to a source."""
        if self.given_weights is not None:
            return self.given_weights.shape[1], self.given_weights.shape[2]
        return self.captured("query").shape[1], self.captured("key").shape[1]

    def named_arrays(self, where: str) -> Iterator[NamedArray]:
        """What was captured of this layer, for `check_finite`; `where` is "of layer 3", for example."""
        names = ("queries", "keys", "values", "attention weights")
        arrays = (self.query, self.key, self.value, self.given_weights)
        for name, array in zip(names, arrays, strict=True):
            if array is not None:
                yield f"the {name} {where}", array

    def captured(self, name: str) -> FloatArray:
        """The layer's "query", "key" or "value", (H, T, K).

        Raises:
            NotCapturedError: the model handed out nothing but its weights.
        """
        array: FloatArray | None = getattr(self, name)
        if array is None:
            raise NotCapturedError(
                "This model has attention code of its own and hands out its weights only: "
                "scores, queries, keys and values cannot be shown for it."
            )
        return array

    def scores(self) -> FloatArray:
        """(H, T, T) scaled and masked scores, before softmax; -inf where a key may not be attended."""
        query, key = self.captured("query"), self.captured("key")
        scores = np.matmul(query, key.transpose(0, 2, 1)) * np.float32(self.scaling)
        if self.bias is not None:
            scores = scores + self.bias
        return scores

    def weights(self) -> FloatArray:
        """(H, T, T) attention weights: rows are queries, columns keys, and rows sum to 1."""
        if self.given_weights is not None:
            return self.given_weights
        return softmax(self.scores())


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One run: tokens, attention of every layer, hidden states and prediction. It has no batch axis.

    Attributes:
        hidden_states: (L + 1, T, D); `[0]` is the embedding output, `[l + 1]` leaves layer l.
        embedding_parts: "word", "position", "token type" where the model has them, (T, D) each, before the layer norm.
        silenced_heads: (layer, head) pairs whose context was replaced by zero.
        notes: what a reader should know about this run, in full sentences.
    Raises:
        ShapeError: the hidden states are not those of the layers and tokens.
        NotFiniteError: a number is NaN, infinite, or too large to be squared.
    """

    model_name: str
    tokens: Tokens
    layers: tuple[LayerAttention, ...]
    hidden_states: FloatArray
    embedding_parts: Mapping[str, FloatArray] = field(default_factory=lambda: MappingProxyType({}))
    prediction: Prediction | None = None
    silenced_heads: tuple[tuple[int, int], ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.hidden_states.shape[:2] != (len(self.layers) + 1, len(self.tokens)):
            raise ShapeError(
                f"Hidden states are {self.hidden_states.shape}; {len(self.layers)} layers and "
                f"{len(self.tokens)} tokens need ({len(self.layers) + 1}, {len(self.tokens)}, D)."
            )
        for array in (self.hidden_states, *self.embedding_parts.values()):
            array.flags.writeable = False
        check_finite(self.model_name, self._named_arrays())

    @property
    def num_layers(self) -> int:
        """L."""
        return len(self.layers)

    @property
    def num_heads(self) -> int:
        """H."""
        return self.layers[0].num_heads

    def weights(self, layer: int) -> FloatArray:
        """(H, T, T) attention weights of a layer, derived now: softmax(query · keyᵀ · scaling + mask)."""
        weights = self._layer(layer).weights()
        weights.flags.writeable = False
        return weights

    def scores(self, layer: int) -> FloatArray:
        """(H, T, T) scaled and masked scores of a layer, derived now; -inf where a key may not be attended."""
        scores = self._layer(layer).scores()
        scores.flags.writeable = False
        return scores

    def queries(self, layer: int) -> FloatArray:
        """(H, T, K) queries of a layer."""
        return self._layer(layer).captured("query")

    def keys(self, layer: int) -> FloatArray:
        """(H, T, K) keys of a layer."""
        return self._layer(layer).captured("key")

    def values(self, layer: int) -> FloatArray:
        """(H, T, K) values of a layer."""
        return self._layer(layer).captured("value")

    def _named_arrays(self) -> Iterator[NamedArray]:
        """Everything that was computed, in order; a layer's bias is left out, whose -inf are meant."""
        for name, part in self.embedding_parts.items():
            yield f"the {name} embeddings", part
        yield name_states(0), self.hidden_states[0]
        for index, layer in enumerate(self.layers):
            yield from layer.named_arrays(f"of layer {index}")
            yield name_states(index + 1), self.hidden_states[index + 1]
        if self.prediction is not None:
            yield "the logits", self.prediction.logits
            if self.prediction.score is not None:
                yield "the score", np.array([self.prediction.score], np.float32)

    def _layer(self, layer: int) -> LayerAttention:
        if not 0 <= layer < self.num_layers:
            raise SelectionError(f"Layer {layer} was asked for; this trace has layers 0 to {self.num_layers - 1}.")
        return self.layers[layer]
