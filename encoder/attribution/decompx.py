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

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from encoder.attribution.gradients import Attribution, masked_ends
from encoder.attribution.layer_runs import LayerRun, layer_runs, runs_from, slopes
from encoder.attribution.method_formulas import alti, products
from encoder.attribution.quantities import (
    ClassQuantity,
    ScoreQuantity,
    ShiftQuantity,
    SimilarityQuantity,
    TagQuantity,
    batch_of,
)
from encoder.errors import ArgumentError, SelectionError
from encoder.models.base import Backend, BatchOutput
from encoder.models.layer_module_names import class_head_of
from encoder.models.tensors import Batch, to_numpy
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from encoder.text.tokens import Tokens

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


# Chosen on SST dev sentences: see `encoder.evaluation`.
NODES = (0.3, 0.8)

HeadQuantity = ClassQuantity | ScoreQuantity
SplitQuantity = HeadQuantity | TagQuantity | ShiftQuantity | SimilarityQuantity
Biases = Literal["apart", "shared"]


def decompx_class(backend: Backend, trace: Trace, quantity: SplitQuantity, *, biases: Biases = "apart") -> Attribution:
    """What each token adds to a logit, the difference of two, a score before its sigmoid, or a cosine.

    Args:
        backend: the model that made the trace.
        quantity: a "logit", "log odds" against a single class or part of speech, a score's "log odds", a shift, or a
            similarity; others are not linear.
        biases: "shared" gives the tokens what the biases of the layers add, too. On 440 sentences of SST train its
            orders had an AOPC that was higher by .017.
    Returns:
        (T,) in the quantity's unit. `total` is the quantity without what belongs to no token: the 1 from which a shift
        takes a cosine, and what the biases of the model add, or, where they are shared, those of its head alone.
    Raises:
        ArgumentError: the quantity is another one.
        UnsupportedModelError: the model cannot be taken apart, or has no such head.
    """
    batch = batch_of(backend, [trace.tokens])
    states = torch.tensor(trace.hidden_states, device=batch.input_ids.device)  # (L + 1, T, D)
    output = _output_of(backend, batch, trace, states)
    if isinstance(quantity, ShiftQuantity | SimilarityQuantity):
        quantity = quantity.held_at(output)
    _check_linear(quantity)
    runs = list(layer_runs(backend, trace))
    found = _pass_back(backend, batch, runs, (states[0], states[-1]), quantity)
    of_text = float(quantity(output)[0])
    values = to_numpy(found.of_tokens)  # (T,)
    if biases == "apart":
        return Attribution(values, of_text - float(found.of_layers.sum()) - found.of_head, of_text)
    return Attribution(values + _shared_out(to_numpy(found.of_layers), runs), of_text - found.of_head, of_text)


def _shared_out(of_layers: FloatArray, runs: Sequence[LayerRun]) -> FloatArray:
    """(L, T) what a layer's biases add at each state, to the (T,) shares of the input's tokens in it."""
    taken = products(map(alti, runs))  # (T, T) each, state by token
    shares = [at_states @ shares_of for at_states, shares_of in zip(of_layers, taken, strict=True)]  # (T,) each
    return np.sum(shares, axis=0)


def integrated_decompx(
    backend: Backend, tokens: Tokens, quantity: HeadQuantity, *, nodes: Sequence[float] = NODES
) -> Attribution:
    """DecompX at points between a text of masks and the text: the mean of its linear functions, times the way.

    Args:
        backend: any model that DecompX takes apart.
        quantity: as for `decompx_class`.
        nodes: places from 0, all masks, to 1, the text; each takes one pass forward and one back.
    Returns:
        (T,) in logits, 0 for tokens that frame the text. `total` is the quantity minus what it is for the masks; the
        values do not sum to it exactly.
    Raises:
        ArgumentError: another quantity, or no nodes.
        UnsupportedModelError: the model cannot be taken apart, has no such head, or its tokenizer no mask token.
    """
    _check_linear(quantity)
    if not nodes:
        raise ArgumentError("No nodes were given: DecompX is integrated over at least one.")
    ends = masked_ends(backend, tokens)
    slope = torch.zeros_like(ends.text)  # (T, D)
    for node in nodes:
        embeddings = ends.baseline + node * (ends.text - ends.baseline)  # (T, D)
        runs, last = runs_from(backend, ends.batch, embeddings)
        slope += _pass_back(backend, ends.batch, runs, (embeddings, last), quantity).slope / len(nodes)
    values = to_numpy((slope * (ends.text - ends.baseline)).sum(-1))  # (T,)
    of_text, of_baseline = ends.values(backend, quantity)
    return Attribution(values, of_text - of_baseline, of_text)


@torch.no_grad()
def _output_of(backend: Backend, batch: Batch, trace: Trace, states: Tensor) -> BatchOutput:
    """What a trace comes to, as a batch of one.

    Args:
        states: (L + 1, T, D) those of the trace.
    """
    logits = None if trace.prediction is None else torch.tensor(trace.prediction.logits)[None]  # (1, C)
    hidden_states = tuple(states[:, None])  # (1, T, D) each
    return BatchOutput(hidden_states, logits, backend.read_score(hidden_states, batch))


def _check_linear(quantity: SplitQuantity) -> None:
    if not quantity.linear:
        raise ArgumentError("DecompX takes a logit apart, or log odds against a single class: choose one of these.")


class _Linearised(NamedTuple):
    """A quantity as a linear function of the embedding outputs, all else being held fixed."""

    slope: Tensor  # (T, D)
    of_tokens: Tensor  # (T,) what each token adds, the bias of its value in the first layer included
    of_layers: Tensor  # (L, T) what the biases of each layer add at each state
    of_head: float  # what the biases of the head add


def _pass_back(
    backend: Backend, batch: Batch, runs: Iterable[LayerRun], states: tuple[Tensor, Tensor], quantity: SplitQuantity
) -> _Linearised:
    """One pass back through a run.

    Args:
        batch: the text alone.
        states: (T, D) the embedding outputs and the last states of the run.
    """
    embeddings = states[0].detach().requires_grad_()  # (T, D)
    share = torch.ones_like(embeddings[:, :1]).requires_grad_()  # (T, 1) of each token; its slope is what it adds
    nothing = torch.zeros_like(share)
    of_head = torch.tensor([0.0, 1.0], device=embeddings.device)[:, None, None]  # (S, 1, 1): the text, the biases
    with torch.enable_grad():
        value_bias: Tensor | None = torch.stack((share, nothing))  # (S, T, 1)
        carried = [torch.stack((share * embeddings, nothing * embeddings))]  # (S, T, D)
        of_layers = []
        for run in runs:
            of_layers.append(torch.ones_like(share).requires_grad_())  # (T, 1), the share of the biases at each state
            carried.append(run.carry(carried[-1], torch.stack((nothing, of_layers[-1])), value_bias))
            value_bias = None
        of_text, of_biases = quantity(_head_output(backend, batch, carried, of_head, states[1][0]))
    inputs = (embeddings, share, *of_layers)
    # A head may read a state before the last one: the layers behind it add 0.
    slope, of_tokens, *at_states = torch.autograd.grad(of_text + of_biases, inputs, materialize_grads=True)
    added = torch.stack(at_states)[..., 0]  # (L, T)
    return _Linearised(slope, of_tokens[:, 0], added, of_biases.item() - added.sum().item())


def _head_output(backend: Backend, batch: Batch, states: Sequence[Tensor], bias: Tensor, first: Tensor) -> BatchOutput:
    """Logits and score of S sources whose vectors (S, T, D) sum to the states; they sum to those of the text.

    Args:
        bias: (S, 1, 1) the share of the head's biases that a source takes.
        first: (D,) the last state of the first token, which sets the slopes of a head's activation.
    """
    head = class_head_of(backend)
    if head is not None:
        share = bias[:, 0]  # (S, 1)
        inner = states[-1][:, 0] @ head.dense.weight.T + share * head.dense.bias  # (S, D)
        inner = inner * slopes(head.activation, head.dense(first))
        return BatchOutput(tuple(states), inner @ head.output.weight.T + share * head.output.bias)
    both = Batch(*(tensor[:1].expand(len(bias), -1) for tensor in batch))
    zeros = [torch.zeros_like(state) for state in states]  # (S, T, D) each
    logits, of_bias = (backend.read_classes(given, both) for given in (states, zeros))  # (S, C) each
    if logits is not None and of_bias is not None:
        logits = logits - (1 - bias[:, 0]) * of_bias
    score, of_bias = (backend.read_score(given, both) for given in (states, zeros))  # (S,) each
    if score is not None and of_bias is not None:
        score = score - (1 - bias[:, 0, 0]) * of_bias
    return BatchOutput(tuple(states), logits, score)
