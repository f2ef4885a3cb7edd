"""DecompX: every state as a sum of vectors, one from each token of the input, carried through all of every layer.

The biases of the model belong to no token. They are a source of their own, the last one, so that the vectors of a token
sum to its state. Only in the first layer the bias of the values goes with the token whose value it is, as in f(x) of
Kobayashi et al. (2020) and in the authors' program.

All layers are carried for some sources at a time, so that norms of a long text take no more memory than of a short one.
The class of a text needs one vector per token only, because with slopes and weights held fixed it is a linear function
of the input: its gradient times the input.

Source: Modarressi et al. (2023).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from encoder.attribution.layer_runs import LayerRun, layer_runs
from encoder.errors import SelectionError
from encoder.models.base import Backend
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace

CHUNK = 1 << 24  # numbers that the vectors of some sources may have together: 64 MB


def decomposed_states(backend: Backend, trace: Trace, *, state_index: int, start: int = 0) -> FloatArray:
    """One of the hidden states as sums of vectors.

    Args:
        backend: the model that made the trace.
        state_index: which of the L + 1 hidden states is taken apart.
        start: which of them it is taken apart into; 0 = the embedding output.
    Returns:
        (T, T + 1, D): token, source, and width; the last source is the biases'. Summed over the sources these are
        the states.
    Raises:
        SelectionError: there are no such hidden states.
        UnsupportedModelError: the model cannot be taken apart.
    """
    if not 0 <= start <= state_index <= trace.num_layers:
        raise SelectionError(
            f"State {state_index} was to be taken apart from state {start} on; there are 0 to {trace.num_layers}."
        )
    runs = list(layer_runs(backend, trace, range(start, state_index)))
    parts = [to_numpy(vectors[-1]) for vectors in _carried(runs, trace.hidden_states[start])]  # (S, T, D) each
    return np.concatenate(parts).swapaxes(0, 1)


def decomposed_norms(backend: Backend, trace: Trace) -> FloatArray:
    """How long the vector from each token of the input is in every state, in units of hidden states.

    Args:
        backend: the model that made the trace.
    Returns:
        (L + 1, T, T + 1) norms by hidden state, token and source; the last source is the biases'.
    Raises:
        UnsupportedModelError: the model cannot be taken apart.
    """
    parts = [
        np.stack([to_numpy(of_state.norm(dim=-1)) for of_state in vectors])  # (L + 1, S, T)
        for vectors in _carried(list(layer_runs(backend, trace)), trace.hidden_states[0])
    ]
    return np.concatenate(parts, axis=1).swapaxes(1, 2)


def one_layer_norms(run: LayerRun) -> FloatArray:
    """(T, T + 1) norms of the vectors that one layer makes of the states that go into it; the last is the biases'."""
    parts = [to_numpy(vectors[-1].norm(dim=-1)) for vectors in _carried([run], to_numpy(run.states))]  # (S, T)
    return np.concatenate(parts).T


@torch.no_grad()
def _carried(runs: Sequence[LayerRun], states: FloatArray) -> Iterator[list[Tensor]]:
    """For some sources at a time, their vectors (S, T, D) before the first layer and after each.

    Args:
        runs: layers that follow on each other.
        states: (T, D) what goes into the first of them.
    """
    tokens, width = states.shape
    device = runs[0].states.device if runs else None
    start = torch.tensor(states, device=device)  # (T, D)
    inner = max([width, *(run.units.shape[-1] for run in runs)])
    step = max(1, CHUNK // (tokens * inner))
    for first in range(0, tokens + 1, step):
        sources = torch.arange(first, min(first + step, tokens + 1), device=device)  # (S,)
        own = sources[:, None] == torch.arange(tokens, device=device)  # (S, T); nothing for the biases' source
        vectors = [own[..., None] * start]  # (S, T, D)
        bias = (sources == tokens).to(start)[:, None, None]  # (S, 1, 1)
        for layer, run in enumerate(runs):
            value_bias = None if layer else own[..., None].to(start)  # (S, T, 1)
            vectors.append(run.carry(vectors[-1], bias, value_bias))
        yield vectors
