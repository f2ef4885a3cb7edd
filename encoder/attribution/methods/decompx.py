"""DecompX: each state as a sum of vectors, one per input token, propagated through all parts of every layer.

The biases of the model belong to no token. They form an extra source, the last one, so that the vectors of a token sum
to its state. Only in the first layer, the bias of the values is attributed to the token whose value it is, as in f(x)
of Kobayashi et al. (2020) and in the authors' code.

Sources are propagated in chunks, so that the norms of a long text take no more memory than those of a short one.

A logit is cheaper. With attention weights, standard deviations of layer norms and slopes of activations held fixed, it
is a linear function of the embedding outputs and of the biases. A token's contribution is then its embedding times the
gradient of that function: one backward pass, and no vectors between tokens. A cosine is linear too when the length of
its vector is held fixed.

The contributions of the layers' biases can be kept apart or distributed over the tokens. A layer's contribution at a
state goes to the tokens in proportion to their ALTI shares in that state. The paper distributes by dot products instead
(AbsDot), which needs a vector from every token to every state.

Source: Modarressi et al. (2023); section 3, equation 14 for the head.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from encoder.attribution.gradients import Attribution, masked_ends
from encoder.attribution.layer_runs import LayerRun, layer_runs, runs_from, slopes
from encoder.attribution.methods.alti import alti
from encoder.attribution.methods.rollout import products
from encoder.attribution.quantities import (
    ClassQuantity,
    ScoreQuantity,
    ShiftQuantity,
    SimilarityQuantity,
    TagQuantity,
    TokenQuantity,
    batch_of,
)
from encoder.errors import ArgumentError
from encoder.models.base import Backend, BatchOutput
from encoder.models.layer_module_names import class_head_of, token_head_of
from encoder.models.tensors import Batch, to_numpy
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from encoder.text.tokens import Tokens

CHUNK = 1 << 24  # numbers per chunk of sources: 64 MB

# Positions from 0 (all masks) to 1 (the text). Chosen on SST dev sentences: see `encoder.lab.evaluation`.
NODES = (0.3, 0.8)

HeadQuantity = ClassQuantity | ScoreQuantity
SplitQuantity = HeadQuantity | TagQuantity | TokenQuantity | ShiftQuantity | SimilarityQuantity
Biases = Literal["apart", "shared"]


class _Linearised(NamedTuple):
    """A quantity as a linear function of the embedding outputs, with everything else held fixed."""

    gradient: Tensor  # (T, D)
    of_tokens: Tensor  # (T,) contribution of each token, including its value bias in the first layer
    of_layers: Tensor  # (L, T) contribution of each layer's biases at each state
    of_head: float  # contribution of the head's biases


def decomposed_norms(backend: Backend, trace: Trace) -> FloatArray:
    """The norm of the vector from each input token in each state, in units of hidden states.

    Returns:
        (L + 1, T, T + 1) norms by hidden state, token and source; the last source is the biases.
    """
    parts = [
        np.stack([to_numpy(of_state.norm(dim=-1)) for of_state in vectors])  # (L + 1, S, T)
        for vectors in propagated(list(layer_runs(backend, trace)), trace.hidden_states[0])
    ]
    return np.concatenate(parts, axis=1).swapaxes(1, 2)


def one_layer_norms(run: LayerRun) -> FloatArray:
    """(T, T + 1) norms of the vectors from one layer's input states; the last source is the biases."""
    parts = [to_numpy(vectors[-1].norm(dim=-1)) for vectors in propagated([run], to_numpy(run.states))]  # (S, T)
    return np.concatenate(parts).T


@torch.no_grad()
def propagated(runs: Sequence[LayerRun], states: FloatArray) -> Iterator[list[Tensor]]:
    """For each chunk of sources, their vectors (S, T, D) before the first layer and after each layer.

    Args:
        runs: consecutive layers.
        states: (T, D) input of the first one.
    """
    tokens, width = states.shape
    device = runs[0].states.device if runs else None
    start = torch.tensor(states, device=device)  # (T, D)
    inner = max([width, *(run.units.shape[-1] for run in runs)])
    step = max(1, CHUNK // (tokens * inner))
    for first in range(0, tokens + 1, step):
        sources = torch.arange(first, min(first + step, tokens + 1), device=device)  # (S,)
        own = sources[:, None] == torch.arange(tokens, device=device)  # (S, T); all False for the biases
        vectors = [own[..., None] * start]  # (S, T, D)
        bias = (sources == tokens).to(start)[:, None, None]  # (S, 1, 1)
        for layer, run in enumerate(runs):
            value_bias = None if layer else own[..., None].to(start)  # (S, T, 1)
            vectors.append(run.carry(vectors[-1], bias, value_bias))
        yield vectors


def decompx_class(backend: Backend, trace: Trace, quantity: SplitQuantity, *, biases: Biases = "apart") -> Attribution:
    """The contribution of each token to a logit, a difference of logits, a score before its sigmoid, or a cosine.

    Args:
        quantity: a "logit", "log odds" against a single class or part of speech, a score's "log odds", a shift, or a
            similarity; others are not linear.
        biases: "shared" distributes the contributions of the layers' biases over the tokens. On 440 sentences of SST
            train this raised the AOPC of the orders by .017.
    Returns:
        (T,) in the quantity's unit. `total` is the quantity minus what belongs to no token: the 1 in a shift, and the
        contributions of the biases (only the head's, if the others are shared).
    Raises:
        ArgumentError: the quantity is not linear.
    """
    batch = batch_of(backend, [trace.tokens])
    states = torch.tensor(trace.hidden_states, device=batch.input_ids.device)  # (L + 1, T, D)
    output = _output_of(backend, batch, trace, states)
    if isinstance(quantity, ShiftQuantity | SimilarityQuantity):
        quantity = quantity.held_at(output)
    _check_linear(quantity)
    runs = list(layer_runs(backend, trace))
    found = _linearised_pass(backend, batch, runs, (states[0], states[-1]), quantity)
    of_text = float(quantity(output)[0])
    values = to_numpy(found.of_tokens)  # (T,)
    if biases == "apart":
        return Attribution(values, of_text - float(found.of_layers.sum()) - found.of_head, of_text)
    return Attribution(values + _shared_out(to_numpy(found.of_layers), runs), of_text - found.of_head, of_text)


def _shared_out(of_layers: FloatArray, runs: Sequence[LayerRun]) -> FloatArray:
    """(L, T) contributions of the layers' biases at each state, distributed over the (T,) input tokens."""
    taken = products(map(alti, runs))  # (T, T) each, state by token
    shares = [at_states @ shares_of for at_states, shares_of in zip(of_layers, taken, strict=True)]  # (T,) each
    return np.sum(shares, axis=0)


def integrated_decompx(backend: Backend, tokens: Tokens, quantity: HeadQuantity) -> Attribution:
    """DecompX averaged over points between a masked text and the text: mean gradient times (text − masks).

    Each of the `NODES` takes one forward and one backward pass.

    Returns:
        (T,) in logits, 0 for special tokens. `total` is the quantity minus its value for the masks; the values do not
        sum to it: see `completed`.
    """
    _check_linear(quantity)
    ends = masked_ends(backend, tokens)
    gradient = torch.zeros_like(ends.text)  # (T, D)
    for node in NODES:
        embeddings = ends.baseline + node * (ends.text - ends.baseline)  # (T, D)
        runs, last = runs_from(backend, ends.batch, embeddings)
        gradient += _linearised_pass(backend, ends.batch, runs, (embeddings, last), quantity).gradient / len(NODES)
    values = to_numpy((gradient * (ends.text - ends.baseline)).sum(-1))  # (T,)
    of_text, of_baseline = ends.values(quantity)
    return Attribution(values, of_text - of_baseline, of_text)


def completed(values: FloatArray, total: float) -> FloatArray:
    """(U,) values of units that sum to a total: what they miss of it is divided over them in proportion to their sizes.

    While less is missing than the sizes together, all signs and orders stay as they are; scaled by one factor, they
    would not. On 300 rows of SST dev one point misses 82 % of the total in the median, and nowhere more than the sizes.
    Divided so, its values are nearer to what masking each word alone changes: their correlation is .66, before it .63.
    """
    sizes = np.abs(values)
    whole = float(sizes.sum())
    missing = total - float(values.sum())
    return (values + sizes * (missing / whole)).astype(np.float32) if whole else values


@torch.no_grad()
def _output_of(backend: Backend, batch: Batch, trace: Trace, states: Tensor) -> BatchOutput:
    """A trace's output, with its states (L + 1, T, D), as a batch of one."""
    logits = None if trace.prediction is None else torch.tensor(trace.prediction.logits)[None]  # (1, C)
    by_token = None if trace.token_prediction is None else torch.tensor(trace.token_prediction.logits)[None]
    hidden_states = tuple(states[:, None])  # (1, T, D) each
    return BatchOutput(
        hidden_states,
        logits,
        backend.read_score(hidden_states, batch),
        by_token,
        backend.read_text_vectors(hidden_states, batch),
    )


def _check_linear(quantity: SplitQuantity) -> None:
    if not quantity.linear:
        raise ArgumentError(
            "DecompX decomposes a logit, log odds against a single class, or a cosine. It cannot decompose a cosine of "
            "states that are pooled by max, or that pass through a function which is not linear: choose another method."
        )


def _linearised_pass(
    backend: Backend, batch: Batch, runs: Iterable[LayerRun], states: tuple[Tensor, Tensor], quantity: SplitQuantity
) -> _Linearised:
    """Linearise a run by one backward pass.

    Args:
        batch: the text alone.
        states: (T, D) embedding outputs and last states of the run.
    """
    embeddings = states[0].detach().requires_grad_()  # (T, D)
    # (T, 1) per token; the gradient with respect to it is the contribution of the token.
    share = torch.ones_like(embeddings[:, :1]).requires_grad_()
    nothing = torch.zeros_like(share)
    of_head = torch.tensor([0.0, 1.0], device=embeddings.device)[:, None, None]  # (S, 1, 1): the text, the biases
    with torch.enable_grad():
        value_bias: Tensor | None = torch.stack((share, nothing))  # (S, T, 1)
        carried = [torch.stack((share * embeddings, nothing * embeddings))]  # (S, T, D)
        of_layers = []
        for run in runs:
            of_layers.append(torch.ones_like(share).requires_grad_())  # (T, 1) share of the biases at each state
            carried.append(run.carry(carried[-1], torch.stack((nothing, of_layers[-1])), value_bias))
            value_bias = None
        of_text, of_biases = quantity(_head_output(backend, batch, carried, of_head, states[1][0]))
    inputs = (embeddings, share, *of_layers)
    # A head may read an earlier state: the layers after it contribute 0.
    gradient, of_tokens, *at_states = torch.autograd.grad(of_text + of_biases, inputs, materialize_grads=True)
    added = torch.stack(at_states)[..., 0]  # (L, T)
    return _Linearised(gradient, of_tokens[:, 0], added, of_biases.item() - added.sum().item())


def _head_output(backend: Backend, batch: Batch, states: Sequence[Tensor], bias: Tensor, first: Tensor) -> BatchOutput:
    """Logits and score of S sources, whose vectors (S, T, D) sum to the states; the outputs sum to the text's.

    The logits are of the text, or of each token.

    Args:
        bias: (S, 1, 1) share of the head's biases per source.
        first: (D,) the last state of the first token, which determines the slope of a head's activation.
    """
    both = Batch(*(tensor[:1].expand(len(bias), -1) for tensor in batch))
    vectors = _text_vectors(backend, both, states, bias)
    head = class_head_of(backend)
    if head is not None:
        share = bias[:, 0]  # (S, 1)
        inner = states[-1][:, 0] @ head.dense.weight.T + share * head.dense.bias  # (S, D)
        inner = inner * slopes(head.activation, head.dense(first))
        of_text = inner @ head.output.weight.T + share * head.output.bias
        return BatchOutput(tuple(states), of_text, text_vectors=vectors)
    by_token = token_head_of(backend)
    if by_token is not None:
        of_tokens = states[-1] @ by_token.weight.T + bias * by_token.bias
        return BatchOutput(tuple(states), None, None, of_tokens, vectors)
    zeros = [torch.zeros_like(state) for state in states]  # (S, T, D) each
    logits, of_bias = (backend.read_classes(given, both) for given in (states, zeros))  # (S, C) each
    if logits is not None and of_bias is not None:
        logits = logits - (1 - bias[:, 0]) * of_bias
    score, of_bias = (backend.read_score(given, both) for given in (states, zeros))  # (S,) each
    if score is not None and of_bias is not None:
        score = score - (1 - bias[:, 0, 0]) * of_bias
    return BatchOutput(tuple(states), logits, score, text_vectors=vectors)


def _text_vectors(backend: Backend, batch: Batch, states: Sequence[Tensor], bias: Tensor) -> Tensor | None:
    """(S, D') the part of each source in the text's vector; arguments as in `_head_output`."""
    zeros = [torch.zeros_like(state) for state in states]  # (S, T, D) each
    vectors, of_bias = (backend.read_text_vectors(given, batch) for given in (states, zeros))  # (S, D') each
    return None if vectors is None or of_bias is None else vectors - (1 - bias[:, 0]) * of_bias
