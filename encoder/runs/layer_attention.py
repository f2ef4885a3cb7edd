"""The attention of one layer in a run, from which scores and weights are computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from encoder.errors import NotCapturedError, ShapeError
from encoder.runs.arrays import ByValue, FloatArray, NamedArray, softmax


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LayerAttention(ByValue):
    """Attention of one layer: queries, keys and values, or only the weights if a model returns nothing else.

    Weights that were changed in the run are given next to the queries and keys from which they would follow.

    In cross-attention, keys and values are of the S source tokens, and bias and weights are (H, T, S).
    """

    query: FloatArray | None = None  # (H, T, K)
    key: FloatArray | None = None  # (H, T, K)
    value: FloatArray | None = None  # (H, T, K)
    scaling: float = 1.0
    bias: FloatArray | None = None  # broadcastable to (H, T, T), added to the scores; -inf = may not be attended
    window: int | None = None  # in a long text, in place of a bias: how far a key may be from the query
    sink: FloatArray | None = None  # (H, 1, 1), a score of no token, whose share of a row no key receives
    given_weights: FloatArray | None = None  # (H, T, T)

    def __post_init__(self) -> None:
        for array in (self.query, self.key, self.value, self.bias, self.sink, self.given_weights):
            if array is not None:
                array.flags.writeable = False

    def check_shapes(self, num_tokens: int, *, where: str) -> None:
        """Check that the shapes match; `where` is "of layer 3", for example.

        Raises:
            ShapeError: queries, keys and values of T tokens differ in shape, or the weights are not of T tokens.
        """
        shapes = {name: array.shape for name, array in self.named_arrays(where)}
        if self.given_weights is None:
            sink = shapes.pop(f"the sinks {where}", None)
            fits = len(shapes) == 3 and len(set(shapes.values())) == 1 and self.captured("query").ndim == 3
            fits = fits and sink in (None, (self.num_heads, 1, 1))
        else:
            fits = self.given_weights.ndim == 3 and self.given_weights.shape[2] == num_tokens
        heads, bias = self.num_heads if fits else 0, self.bias
        if bias is not None and fits:
            fits = bias.ndim == 3 and all(n in (1, of) for n, of in zip(bias.shape, (heads, *self.shape), strict=True))
        if not fits or self.shape[0] != num_tokens:
            raise ShapeError(f"The arrays {where} are {shapes}; they do not fit {num_tokens} tokens.")

    @property
    def num_heads(self) -> int:
        """H."""
        return len(self.captured("query") if self.given_weights is None else self.given_weights)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of queries and keys: (T, T), or (T, S) in cross-attention."""
        if self.given_weights is not None:
            return self.given_weights.shape[1], self.given_weights.shape[2]
        return self.captured("query").shape[1], self.captured("key").shape[1]

    def named_arrays(self, where: str) -> Iterator[NamedArray]:
        """The captured arrays with names for messages; `where` is "of layer 3", for example."""
        names = ("queries", "keys", "values", "sinks", "attention weights")
        arrays = (self.query, self.key, self.value, self.sink, self.given_weights)
        for name, array in zip(names, arrays, strict=True):
            if array is not None:
                yield f"the {name} {where}", array

    def captured(self, name: str) -> FloatArray:
        """The layer's "query", "key" or "value", (H, T, K).

        Raises:
            NotCapturedError: the model returns its weights only.
        """
        array: FloatArray | None = getattr(self, name)
        if array is None:
            raise NotCapturedError(
                "This model has its own attention code and returns only its weights: "
                "scores, queries, keys and values cannot be shown for it."
            )
        return array

    def scores(self) -> FloatArray:
        """(H, T, T) scaled and masked scores, before softmax; -inf where a key may not be attended. Read-only."""
        return _read_only(self._scores())

    def added_to_scores(self) -> FloatArray | None:
        """(H, T, T) bias of the scores, -inf for keys outside of the window; None if nothing is added."""
        if self.bias is None and self.window is None:
            return None
        added = np.zeros((self.num_heads, *self.shape), np.float32)
        if self.bias is not None:
            added += self.bias
        self._mask_window(added, 0)
        return added

    def weights(self) -> FloatArray:
        """(H, T, T) attention weights: rows are queries, columns keys. Read-only.

        Rows sum to 1, or with a sink to the rest of what it receives.
        """
        if self.given_weights is not None:
            return self.given_weights
        scores = self._scores()
        return _read_only(softmax(scores, out=scores, sink=self.sink))

    def to_sink(self) -> FloatArray:
        """(H, T) the share of each query's attention that the sink receives, which is no token; 0 without one."""
        if self.sink is None:
            return np.zeros((self.num_heads, self.shape[0]), np.float32)
        unchanged = self if self.query is None else replace(self, given_weights=None)
        return np.maximum(1 - np.stack([weights.sum(axis=-1) for weights in unchanged.weights_over_text()]), 0)

    def weights_over_text(self) -> Iterator[FloatArray]:
        """(T, S) of each head, whose rows sum to 1 without a sink."""
        return iter(self.weights())

    def excerpt(self, rows: slice) -> LayerExcerpt:
        """The attention among consecutive tokens of a long text."""
        bias, given = self.bias, self.given_weights
        return LayerExcerpt(
            query=None if self.query is None else self.query[:, rows],
            key=None if self.key is None else self.key[:, rows],
            value=None if self.value is None else self.value[:, rows],
            scaling=self.scaling,
            bias=None if bias is None else np.broadcast_to(bias, (len(bias), *self.shape))[:, rows, rows],
            window=self.window,
            sink=self.sink,
            given_weights=None if given is None else given[:, rows, rows],
            whole=self,
            rows=rows,
        )

    def weights_of_rows(self, head: int, rows: slice) -> FloatArray:
        """(Q, T) attention weights of Q consecutive queries of one head: at 8,192 tokens, a layer has 3.2 GB."""
        if self.given_weights is not None:
            return self.given_weights[head, rows]
        query, key = self.captured("query")[head, rows], self.captured("key")[head]  # (Q, K), (T, K)
        scores: FloatArray = np.matmul(query, key.T)
        scores *= np.float32(self.scaling)
        if self.bias is not None:
            scores += np.broadcast_to(self.bias, (self.num_heads, *self.shape))[head, rows]
        self._mask_window(scores, rows.indices(self.shape[0])[0])
        return softmax(scores, out=scores, sink=None if self.sink is None else self.sink[head])

    def _scores(self) -> FloatArray:
        query, key = self.captured("query"), self.captured("key")
        scores: FloatArray = np.matmul(query, key.transpose(0, 2, 1))
        scores *= np.float32(self.scaling)
        if self.bias is not None:
            scores += self.bias
        self._mask_window(scores, 0)
        return scores

    def _mask_window(self, scores: FloatArray, first: int) -> None:
        """Write -inf to the scores (..., Q, T) of keys outside of the window; the first row is of query `first`."""
        if self.window is not None:
            queries, keys = np.arange(first, first + scores.shape[-2]), np.arange(scores.shape[-1])
            scores[..., np.abs(queries[:, None] - keys) > self.window] = -np.inf


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LayerExcerpt(LayerAttention):
    """The attention among the T tokens of an excerpt, whose weights are shares of all S tokens of the text.

    Attributes:
        whole: of the text.
        rows: of the excerpt among its tokens.
    """

    whole: LayerAttention
    rows: slice

    def weights(self) -> FloatArray:
        """(H, T, T) attention weights, whose rows lack what other tokens of the text receive. Read-only."""
        return _read_only(np.stack([weights[:, self.rows] for weights in self.weights_over_text()]))

    def weights_over_text(self) -> Iterator[FloatArray]:
        """(T, S) of each head, whose rows sum to 1 without a sink."""
        return (self.whole.weights_of_rows(head, self.rows) for head in range(self.num_heads))


def _read_only(array: FloatArray) -> FloatArray:
    array.flags.writeable = False
    return array
