"""The proof of a split score: a term is removed from the run, and the run goes on from there.

What "removed" means, at one token, the query or the key of the score:

- an embedding: the other embeddings alone go into the layer norm behind them;
- a head: its output is left out of the sum that goes into the layer's first norm; at all other tokens it stays;
- a feed-forward block: its output but for the bias is left out of the sum that goes into the layer's second norm.

The token's state behind that norm, or behind that layer, is computed without it and put in place of its own. Everything
later runs on from the changed state: norms with new statistics, other heads, other tokens. So a score changes by
the term only as far as the direct way from there to the score is what counts.

The control: other terms, drawn at random among those whose vectors are about as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from encoder.attribution.layer_runs import LayerRun, layer_runs
from encoder.attribution.score_terms import Cell, ScoreTerms, Side, SideName
from encoder.attribution.state_parts import Origin, embedding_names, head_outputs
from encoder.errors import SelectionError
from encoder.models.base import Backend
from encoder.models.interventions import Intervention, Patch
from encoder.models.layer_module_names import blocks_of, embedding_block_of
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray, softmax
from encoder.runs.trace import Trace

CONTROLS = 8
LIKE_NORM = 2.0  # a vector of like norm is at most so many times longer or shorter


@dataclass(frozen=True, slots=True, kw_only=True)
class TermRemoval:
    """What is left of a score without one term.

    Attributes:
        index: of the term on its side.
        expected: the score minus the term.
        score, weight: what the run without it gives; the weight is after softmax over all keys.
    """

    index: int
    expected: float
    score: float
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovalTest:
    """The largest removable term of a side taken away, and others of about the same length, each alone.

    `controls` is empty where the state has no other part that can be removed.
    """

    side: SideName
    largest: TermRemoval
    controls: tuple[TermRemoval, ...]


def removal_test(
    backend: Backend, trace: Trace, terms: ScoreTerms, side: SideName, *, count: int = CONTROLS
) -> RemovalTest:
    """Remove the largest term of a side from the run, and for comparison random terms of like norm.

    Args:
        backend: the model that made the trace.
        terms: of a score of that trace.
        count: how many controls at most. Where no term is of like norm, it is the one nearest to it.
    Raises:
        SelectionError: the model takes no states from outside.
        UnsupportedModelError: it cannot be taken apart.
    """
    of_side = terms.side(side)
    chosen = of_side.largest_removable
    indices = [chosen, *like_norm(of_side, chosen, count=count)]
    removals = remove(backend, trace, terms, side, indices)
    return RemovalTest(side=side, largest=removals[0], controls=tuple(removals[1:]))


def like_norm(side: Side, chosen: int, *, count: int, seed: int = 0) -> tuple[int, ...]:
    """Terms whose vectors are about as long as that of a chosen one, drawn at random; the nearest where none is."""
    others = [index for index, origin in enumerate(side.origins) if origin.removable and index != chosen]
    others = [index for index in others if side.norms[index] > 0]  # those of silenced heads are 0
    if not others:
        return ()
    length = max(float(side.norms[chosen]), 1e-12)
    ratios = {index: max(float(side.norms[index]) / length, length / float(side.norms[index])) for index in others}
    alike = [index for index in others if ratios[index] <= LIKE_NORM] or [min(others, key=ratios.__getitem__)]
    drawn = np.random.default_rng(seed).permutation(len(alike))[:count]
    return tuple(alike[index] for index in sorted(drawn.tolist()))


def remove(
    backend: Backend, trace: Trace, terms: ScoreTerms, side: SideName, indices: Sequence[int]
) -> list[TermRemoval]:
    """Remove some terms of a side, each in a run of its own.

    Args:
        indices: which of the side's terms.
    Raises:
        SelectionError: a bias was to be removed, or the model takes no states from outside.
    """
    of_side, position = terms.side(side), terms.cell.position(side)
    patches = _patches(backend, trace, [of_side.origins[index] for index in indices], position)
    interventions = [Intervention(silenced_heads=trace.silenced_heads, patches=(patch,)) for patch in patches]
    runs = backend.hidden_states([trace.tokens] * len(patches), interventions)
    rows = [_scores(backend, trace, terms.cell, states[terms.cell.layer]) for states in runs]  # (T,) each
    return [
        TermRemoval(
            index=index,
            expected=terms.score - float(of_side.values[index]),
            score=float(row[terms.cell.key]),
            weight=float(softmax(row)[terms.cell.key]),
        )
        for index, row in zip(indices, rows, strict=True)
    ]


@torch.no_grad()
def _patches(backend: Backend, trace: Trace, origins: Sequence[Origin], position: int) -> list[Patch]:
    """For each origin the state of a token without it, where that state leaves the layer or the embeddings."""
    layers = sorted({origin.layer for origin in origins if origin.layer is not None})
    runs = dict(zip(layers, layer_runs(backend, trace, layers), strict=True))
    patches = []
    for origin in origins:
        if not origin.removable:
            raise SelectionError("A bias is the same in every run of a model: it cannot be removed.")
        if origin.layer is None:
            state_index, state = 0, _without_embedding(backend, trace, origin, position)  # (D,)
        else:
            state_index, state = origin.layer + 1, _without_output(runs[origin.layer], origin, position)
        patches.append(Patch(state_index=state_index, positions=(position,), state=to_numpy(state)))
    return patches


def _without_embedding(backend: Backend, trace: Trace, origin: Origin, position: int) -> Tensor:
    """(D,) the embedding output of a token without one of its parts."""
    norm, projection = embedding_block_of(backend)
    kept = [trace.embedding_parts[name][position] for name in embedding_names(trace) if name != origin.kind]
    state = norm(torch.tensor(np.sum(kept, axis=0), device=norm.weight.device))
    return state if projection is None else projection(state)


def _without_output(run: LayerRun, origin: Origin, position: int) -> Tensor:
    """(D,) the state of a token behind a layer without one head, or without its feed-forward block."""
    block, attended = run.block, run.attended[position]
    if origin.kind == "feed-forward":
        return block.feed_forward_norm(attended + block.down.bias)
    left = run.attention_sum[position] - head_outputs(run, [position])[origin.head or 0, 0]
    attended = block.attention_norm(left)
    return block.feed_forward_norm(attended + block.down(block.activation(block.up(attended))))


@torch.no_grad()
def _scores(backend: Backend, trace: Trace, cell: Cell, states: FloatArray) -> FloatArray:
    """(T,) scores of one query in one head, from (T, D) states that go into its layer."""
    block, attention = blocks_of(backend)[cell.layer], trace.layers[cell.layer]
    width = attention.captured("key").shape[-1]
    rows = slice(cell.head * width, (cell.head + 1) * width)
    given = torch.tensor(states, device=block.query.weight.device)  # (T, D)
    query = to_numpy(block.query(given[cell.query]))[rows]  # (K,)
    scores = to_numpy(block.key(given))[:, rows] @ query * np.float32(attention.scaling)  # (T,)
    if attention.bias is not None:
        bias = np.broadcast_to(attention.bias, (trace.num_heads, len(states), len(states)))
        scores = scores + bias[cell.head, cell.query]
    return scores
