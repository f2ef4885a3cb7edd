"""Decompose one attention score exactly into terms by origin.

A score is q · k · scaling, with q = x W + b for the query's state x, and likewise for the key. With the key fixed, the
score is a linear function of the query's state. That state is a sum of vectors: each of them times the key is a term,
and the terms sum to the score. The key's side is decomposed likewise, with the query fixed.

The vectors of a state are the word, position and token-type embeddings, the output of every earlier head and
feed-forward block at this token, and the biases of each layer. Each is propagated from where it was added along the
residual connections alone: layer norms divide by the standard deviation that they had in this run. What a head writes
was gathered from other tokens, but counts as the head's.

Source: Elhage et al. (2021), "A mathematical framework for transformer circuits", for the residual stream as a sum;
Kobayashi et al. (2021), equation 10, for the layer norm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
import torch
from torch import Tensor

from encoder.attribution.layer_runs import LayerRun, deviation, layer_runs, normalised
from encoder.errors import SelectionError
from encoder.measures.near_ties import largest_first
from encoder.models.base import Backend
from encoder.models.layer_module_names import Block, blocks_of, embedding_block_of
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace

SideName = Literal["query", "key"]
SIDES: tuple[SideName, ...] = get_args(SideName)
EmbeddingPart = Literal["word", "position", "token type"]
OriginKind = Literal["word", "position", "token type", "head", "feed-forward", "biases", "projection bias"]


class Cell(NamedTuple):
    """A query and a key, both tokens of one text, in one head."""

    layer: int
    head: int
    query: int
    key: int

    def position(self, side: SideName) -> int:
        """The token on one side."""
        return self.query if side == "query" else self.key


class Origin(NamedTuple):
    """The origin of a vector.

    `layer` is None for the embeddings and their biases. A "projection bias" is the bias of
    the query or key projection: part of a score, but of no state.
    """

    kind: OriginKind
    layer: int | None = None
    head: int | None = None

    @property
    def removable(self) -> bool:
        """Whether it depends on the text; biases do not."""
        return self.kind not in ("biases", "projection bias")


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """The terms of one side, which sum to the score.

    Attributes:
        origins: S, in the order of the run.
        values: (S,) in units of the score.
        norms: (S,) norms of the vectors in the layer's input state; 0 for the projection's bias.
    """

    origins: tuple[Origin, ...]
    values: FloatArray
    norms: FloatArray

    @property
    def largest_first(self) -> tuple[int, ...]:
        """Indices of the terms by falling absolute value."""
        return largest_first(np.abs(self.values))

    @property
    def largest_removable(self) -> int:
        """The index of the largest term that belongs to this text."""
        return next(index for index in self.largest_first if self.origins[index].removable)


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTerms:
    """A score before softmax, its weight, and the terms of the query and of the key, each with the other fixed."""

    cell: Cell
    score: float
    weight: float
    query: Side
    key: Side

    def side(self, name: SideName) -> Side:
        """The terms of one side."""
        return self.query if name == "query" else self.key


@dataclass(frozen=True, slots=True, eq=False)
class StateParts:
    """The states of P tokens as sums of vectors (S, P, D), with S origins: the embeddings, then layer by layer."""

    origins: tuple[Origin, ...]
    vectors: FloatArray


def score_terms(backend: Backend, trace: Trace, cell: Cell) -> ScoreTerms:
    """Decompose one score of a run.

    Raises:
        SelectionError: there is no such layer, head or token, or the query may not attend to the key.
    """
    blocks = blocks_of(backend)
    backend.check_heads([(cell.layer, cell.head)])
    _check_positions(trace, (cell.query, cell.key))
    score = float(trace.scores(cell.layer)[cell.head, cell.query, cell.key])
    if not np.isfinite(score):
        raise SelectionError(f"Token {cell.query} may not attend to token {cell.key}: there is no score to decompose.")
    parts = state_parts(backend, trace, cell.layer, (cell.query, cell.key))
    return ScoreTerms(
        cell=cell,
        score=score,
        weight=float(trace.weights(cell.layer)[cell.head, cell.query, cell.key]),
        query=_side(blocks[cell.layer], trace, cell, "query", parts),
        key=_side(blocks[cell.layer], trace, cell, "key", parts),
    )


def _side(block: Block, trace: Trace, cell: Cell, side: SideName, parts: StateParts) -> Side:
    """The terms of one side, from the (S, 2, D) parts of the query's and of the key's state."""
    attention = trace.layers[cell.layer]
    keys, queries = attention.captured("key"), attention.captured("query")
    other = keys[cell.head, cell.key] if side == "query" else queries[cell.head, cell.query]  # (K,)
    other = other.astype(np.float64) * attention.scaling
    rows = slice(cell.head * len(other), (cell.head + 1) * len(other))
    linear = block.query if side == "query" else block.key
    direction = to_numpy(linear.weight)[rows].T @ other  # (D,)
    vectors = parts.vectors[:, 0 if side == "query" else 1]  # (S, D)
    values = [*(vectors @ direction), to_numpy(linear.bias)[rows] @ other]
    norms = [*np.linalg.norm(vectors, axis=-1), 0.0]
    origins = (*parts.origins, Origin("projection bias", cell.layer))
    return Side(origins, np.array(values, np.float32), np.array(norms, np.float32))


def state_parts(backend: Backend, trace: Trace, state_index: int, positions: Sequence[int]) -> StateParts:
    """Decompose the states of some tokens.

    Args:
        state_index: which of the L + 1 hidden states; 0 is the embedding output.
        positions: P tokens.
    Raises:
        SelectionError: there is no such state or token.
    """
    if not 0 <= state_index <= trace.num_layers:
        raise SelectionError(f"State {state_index} was to be decomposed; there are 0 to {trace.num_layers}.")
    _check_positions(trace, positions)
    rows = list(positions)
    origins, vectors = _embedding_parts(backend, trace, rows)
    for layer, run in enumerate(layer_runs(backend, trace, range(state_index))):
        vectors = _through_layer(run, vectors, rows)
        written = [Origin("head", layer, head) for head in range(trace.num_heads)]
        origins += [*written, Origin("feed-forward", layer), Origin("biases", layer)]
    return StateParts(tuple(origins), to_numpy(vectors))


def _check_positions(trace: Trace, positions: Sequence[int]) -> None:
    """Raise SelectionError if a text has no such token."""
    if not all(0 <= position < len(trace.tokens) for position in positions):
        raise SelectionError(
            f"The tokens {tuple(positions)} were asked for; this text has 0 to {len(trace.tokens) - 1}."
        )


@torch.no_grad()
def _embedding_parts(backend: Backend, trace: Trace, rows: list[int]) -> tuple[list[Origin], Tensor]:
    """(S, P, D) parts of the embedding output: the embeddings, and the biases after them."""
    norm, projection = embedding_block_of(backend)
    origins = [Origin(name) for name in embedding_names(trace)]
    parts = torch.stack([torch.tensor(trace.embedding_parts[origin.kind][rows]) for origin in origins])  # (S, P, E)
    parts = parts.to(norm.weight.device)
    vectors = normalised(parts, norm, deviation(norm, parts.sum(0)))
    vectors = torch.cat((vectors, norm.bias.expand_as(vectors[:1])))  # (S, P, E)
    if projection is not None:
        vectors = vectors @ projection.weight.T  # (S, P, D)
        vectors[-1] += projection.bias
    return [*origins, Origin("biases")], vectors


def embedding_names(trace: Trace) -> tuple[EmbeddingPart, ...]:
    """Which embeddings are summed in the model that made a trace."""
    names: tuple[EmbeddingPart, ...] = ("word", "position", "token type")
    return tuple(name for name in names if name in trace.embedding_parts)


@torch.no_grad()
def _through_layer(run: LayerRun, vectors: Tensor, rows: list[int]) -> Tensor:
    """Parts (S, P, D) of a layer's input states to parts of its output, with H heads, feed-forward and biases added."""
    block = run.block
    biases = block.output.bias.expand_as(vectors[:1])  # (1, P, D)
    vectors = torch.cat((vectors, head_outputs(run, rows), biases))
    vectors = normalised(vectors, block.attention_norm, deviation(block.attention_norm, run.attention_sum[rows]))
    vectors[-1] += block.attention_norm.bias
    of_feed_forward = run.feed_forward_sum[rows] - run.attended[rows] - block.down.bias  # (P, D)
    vectors[-1] += block.down.bias
    vectors = torch.cat((vectors[:-1], of_feed_forward[None], vectors[-1:]))
    vectors = normalised(
        vectors, block.feed_forward_norm, deviation(block.feed_forward_norm, run.feed_forward_sum[rows])
    )
    vectors[-1] += block.feed_forward_norm.bias
    return vectors


def head_outputs(run: LayerRun, rows: list[int]) -> Tensor:
    """(H, P, D) the output of each head at some tokens: its context times its part of the output projection."""
    context = run.weights[:, rows] @ run.values  # (H, P, K)
    projection = run.block.output.weight.T.reshape(len(context), context.shape[-1], -1)  # (H, K, D)
    return context @ projection
