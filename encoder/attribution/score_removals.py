"""Verify the terms of a score: remove a term from the run, and continue the run from there.

"Removed" means, at one token, the query or the key of the score:

- an embedding: only the other embeddings go into the following layer norm;
- a head: its output is left out of the input of the layer's first norm; at other tokens it stays;
- a feed-forward block: its output, except the bias, is left out of the input of the layer's second norm.

The token's state after the embeddings or the layer is recomputed and patched in. Everything later runs on the changed
state: norms with new statistics, other heads, other tokens. The score changes by exactly the term only if the direct
path from there to the score dominates.

The control removes other terms, drawn at random among those of similar norm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from encoder.attribution.layer_runs import LayerRun, layer_runs
from encoder.attribution.score_terms import Cell, Origin, ScoreTerms, Side, SideName, embedding_names, head_outputs
from encoder.errors import SelectionError
from encoder.models.base import Backend
from encoder.models.interventions import Intervention, Patch
from encoder.models.layer_module_names import blocks_of, embedding_block_of
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray, softmax
from encoder.runs.trace import Trace

CONTROLS = 8
SIMILAR_NORM = 2.0  # largest ratio of two similar norms


@dataclass(frozen=True, slots=True, kw_only=True)
class TermRemoval:
    """A score without one term, by its index: as expected, the score minus the term, and in a run without it.

    The weight is after softmax over all keys.
    """

    index: int
    expected: float
    score: float
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovalTest:
    """The removal of a side's largest removable term, and of others of similar norm, each alone.

    `controls` is empty if no other part of the state can be removed.
    """

    side: SideName
    largest: TermRemoval
    controls: tuple[TermRemoval, ...]


def removal_test(
    backend: Backend, trace: Trace, terms: ScoreTerms, side: SideName, *, count: int = CONTROLS
) -> RemovalTest:
    """Remove the largest term of a side from the run, and random terms of similar norm as a control.

    Args:
        terms: of a score of the trace.
        count: the largest number of controls. If no term is of similar norm, the control is the nearest one.
    """
    of_side = terms.side(side)
    chosen = of_side.largest_removable
    indices = [chosen, *similar_norm(of_side, chosen, count=count)]
    removals = remove(backend, trace, terms, side, indices)
    return RemovalTest(side=side, largest=removals[0], controls=tuple(removals[1:]))


def similar_norm(side: Side, chosen: int, *, count: int) -> tuple[int, ...]:
    """Random terms whose norm is similar to that of a chosen one; the nearest term if there are none."""
    others = [index for index, origin in enumerate(side.origins) if origin.removable and index != chosen]
    others = [index for index in others if side.norms[index] > 0]  # those of silenced heads are 0
    if not others:
        return ()
    length = max(float(side.norms[chosen]), 1e-12)
    ratios = {index: max(float(side.norms[index]) / length, length / float(side.norms[index])) for index in others}
    alike = [index for index in others if ratios[index] <= SIMILAR_NORM] or [min(others, key=ratios.__getitem__)]
    drawn = np.random.default_rng(0).permutation(len(alike))[:count]
    return tuple(alike[index] for index in sorted(drawn.tolist()))


def remove(
    backend: Backend, trace: Trace, terms: ScoreTerms, side: SideName, indices: Sequence[int]
) -> list[TermRemoval]:
    """Remove terms of a side, one per run."""
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
    """For each origin, a patch with the token's state without it, after its layer or the embeddings."""
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
    """(D,) a token's embedding output without one of its parts."""
    norm, projection = embedding_block_of(backend)
    kept = [trace.embedding_parts[name][position] for name in embedding_names(trace) if name != origin.kind]
    state = norm(torch.tensor(np.sum(kept, axis=0), device=norm.weight.device))
    return state if projection is None else projection(state)


def _without_output(run: LayerRun, origin: Origin, position: int) -> Tensor:
    """(D,) a token's state after a layer, without one head or without the feed-forward block."""
    block, attended = run.block, run.attended[position]
    if origin.kind == "feed-forward":
        return block.feed_forward_norm(attended + block.down.bias)
    left = run.attention_sum[position] - head_outputs(run, [position])[origin.head or 0, 0]
    attended = block.attention_norm(left)
    return block.feed_forward_norm(attended + block.down(block.activation(block.up(attended))))


@torch.no_grad()
def _scores(backend: Backend, trace: Trace, cell: Cell, states: FloatArray) -> FloatArray:
    """(T,) scores of one query in one head, from the layer's input states (T, D)."""
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
