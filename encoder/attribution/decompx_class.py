"""DecompX to the end: how much the vector of each token adds to a number of the model, a class's logit for example.

With attention weights, deviations of layer norms and slopes of activations held fixed, a logit is a linear function of
the embedding outputs and of the biases; so is a cosine, with the length of its vector held fixed, too. What a token
adds is then its embedding times the gradient of that function, which takes one pass back and no vectors between tokens.

What the biases of the layers add can stand apart, or be shared out among the tokens: what a layer's biases add at a
state goes to the tokens by the shares that the state takes from them, as ALTI tells. The paper shares out by dot
products instead (AbsDot), for which it carries a vector from every token to every state.

Source: Modarressi et al. (2023), section 3, equation 14 for the head.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from encoder.attribution.gradients import Attribution, masked_ends
from encoder.attribution.layer_maps import alti, products
from encoder.attribution.layer_runs import LayerRun, layer_runs, runs_from, slopes
from encoder.attribution.quantities import ClassQuantity, ScoreQuantity, batch_of
from encoder.attribution.state_quantities import ShiftQuantity, SimilarityQuantity, TagQuantity
from encoder.errors import ArgumentError
from encoder.models.base import Backend, BatchOutput
from encoder.models.blocks import class_head_of
from encoder.models.tensors import Batch, to_numpy
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from encoder.text.tokens import Tokens

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
