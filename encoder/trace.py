"""One run of an encoder, as an immutable record of numpy arrays.

A trace keeps queries, keys and values; attention weights are derived when they are asked for, one layer at a
time, because at 512 tokens the weights of BERT-base weigh 151 MB and its queries and keys 38 MB.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from encoder.errors import NotCapturedError, SelectionError, ShapeError
from encoder.measures.softmax import softmax
from encoder.text.tokens import Tokens

FloatArray = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What a model's head says about the text.

    `probabilities` is None for a pure regression; `score` is None where there is no regression head, and
    `score_range` where nobody says between which ends it lies.
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
    """Attention of one layer: what its weights follow from, or the weights themselves where that is all there is.

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

    def _layer(self, layer: int) -> LayerAttention:
        if not 0 <= layer < self.num_layers:
            raise SelectionError(f"Layer {layer} was asked for; this trace has layers 0 to {self.num_layers - 1}.")
        return self.layers[layer]
