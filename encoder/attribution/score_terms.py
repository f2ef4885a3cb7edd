"""One attention score, split exactly into where it came from.

A score is q · k · scaling, with q = x W + b of the query's state x, and k likewise of the key's. With the key as it is,
the score is a linear function of the query's state, which is a sum of vectors (`encoder.attribution.state_parts`): each
of them times the key is a term, and the terms sum to the score. So it is on the key's side, with the query as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from encoder.attribution.state_parts import Origin, StateParts, check_positions, state_parts
from encoder.errors import SelectionError
from encoder.models.base import Backend
from encoder.models.layer_module_names import Block, blocks_of
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace

SideName = Literal["query", "key"]
SIDES: tuple[SideName, ...] = get_args(SideName)


class Cell(NamedTuple):
    """A query and a key, both tokens of one text, in one head."""

    layer: int
    head: int
    query: int
    key: int

    def position(self, side: SideName) -> int:
        """The token on one side."""
        return self.query if side == "query" else self.key


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """The terms of one side, which sum to the score.

    Attributes:
        origins: S, where each comes from, in the order of the run.
        values: (S,) in units of the score.
        norms: (S,) lengths of the vectors in the state that goes into the layer; 0 for the projection's bias.
    """

    origins: tuple[Origin, ...]
    values: FloatArray
    norms: FloatArray

    @property
    def largest_first(self) -> tuple[int, ...]:
        """Indices of the terms, by their absolute value."""
        return tuple(int(index) for index in np.argsort(-np.abs(self.values), kind="stable"))

    @property
    def largest_removable(self) -> int:
        """The index of the largest term that belongs to this text."""
        return next(index for index in self.largest_first if self.origins[index].removable)


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTerms:
    """A score with its terms.

    Attributes:
        score: scaled, before softmax.
        weight: after softmax over all keys.
        query: the terms of the query, the key being as it is.
        key: the terms of the key, the query being as it is.
    """

    cell: Cell
    score: float
    weight: float
    query: Side
    key: Side

    def side(self, name: SideName) -> Side:
        """The terms of one side."""
        return self.query if name == "query" else self.key


def score_terms(backend: Backend, trace: Trace, cell: Cell) -> ScoreTerms:
    """Split one score of a run.

    Args:
        backend: the model that made the trace.
    Raises:
        SelectionError: there is no such layer, head or token, or the query may not attend to the key.
        UnsupportedModelError: the model cannot be taken apart.
    """
    blocks = blocks_of(backend)
    backend.check_heads([(cell.layer, cell.head)])
    check_positions(trace, (cell.query, cell.key))
    score = float(trace.scores(cell.layer)[cell.head, cell.query, cell.key])
    if not np.isfinite(score):
        raise SelectionError(f"Token {cell.query} may not attend to token {cell.key}: there is no score to split.")
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
