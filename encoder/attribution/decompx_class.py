"""DecompX to the end: how much the vector of each token adds to a class's logit, through the classification head.

With attention weights, deviations of layer norms and slopes of activations held fixed, a logit is a linear function of
the embedding outputs and of the biases. What a token adds is then its embedding times the gradient of that function,
which takes one pass back and no vectors between tokens.

Source: Modarressi et al. (2023), section 3, equation 14 for the head.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor

from encoder.attribution.gradients import Attribution
from encoder.attribution.layer_runs import layer_runs, slopes
from encoder.attribution.quantities import ClassQuantity, batch_of
from encoder.errors import ArgumentError, UnsupportedModelError
from encoder.models.base import Backend, BatchOutput
from encoder.models.blocks import class_head_of
from encoder.models.tensors import Batch, to_numpy
from encoder.runs.trace import Trace


def decompx_class(backend: Backend, trace: Trace, quantity: ClassQuantity) -> Attribution:
    """What each token adds to a logit, or to the difference of two.

    Args:
        backend: the model that made the trace.
        quantity: a "logit", or "log odds" against a single class; other quantities are not linear in the logits.
    Returns:
        (T,) in logits. `total` is the quantity without what the biases of the model add to it.
    Raises:
        ArgumentError: the quantity is another one.
        UnsupportedModelError: the model cannot be taken apart, or has no classes.
    """
    if quantity.unit == "probability" or (quantity.unit == "log odds" and len(quantity.against) != 1):
        raise ArgumentError("DecompX takes a logit apart, or log odds against a single class: choose one of these.")
    if trace.prediction is None:
        raise UnsupportedModelError(f"{backend.name} has no classification head, so that no class can be explained.")
    batch = batch_of(backend, [trace.tokens])
    embeddings = torch.tensor(trace.hidden_states[0], device=batch.input_ids.device).requires_grad_()  # (T, D)
    bias = torch.tensor([0.0, 1.0], device=embeddings.device)[:, None, None]  # (S, 1, 1): the text, the biases
    with torch.enable_grad():
        states = [torch.stack((embeddings, torch.zeros_like(embeddings)))]  # (S, T, D)
        for run in layer_runs(backend, trace):
            states.append(run.carry(states[-1], bias))
        of_text, of_biases = quantity(BatchOutput(tuple(states), _logits(backend, trace, states, bias, batch)))
    (slope,) = torch.autograd.grad(of_text, embeddings)  # (T, D)
    logits = torch.tensor(trace.prediction.logits)[None]  # (1, C)
    total = float(quantity(BatchOutput((), logits))[0]) - of_biases.item()
    return Attribution(to_numpy((slope * embeddings).sum(-1)), total)


def _logits(backend: Backend, trace: Trace, states: Sequence[Tensor], bias: Tensor, batch: Batch) -> Tensor:
    """(S, C) logits of sources whose vectors (S, T, D) sum to the hidden states; they sum to those of the text."""
    head = class_head_of(backend)
    if head is not None:
        first = torch.tensor(trace.hidden_states[-1][0], device=bias.device)  # (D,)
        share = bias[:, 0]  # (S, 1)
        inner = states[-1][:, 0] @ head.dense.weight.T + share * head.dense.bias  # (S, D)
        inner = inner * slopes(head.activation, head.dense(first))
        return inner @ head.output.weight.T + share * head.output.bias
    both = Batch(*(tensor.expand(len(bias), -1) for tensor in batch))
    zeros = [torch.zeros_like(state) for state in states]  # (S, T, D) each
    logits, biases = (cast(Tensor, backend.read_classes(given, both)) for given in (states, zeros))  # (S, C) each
    return logits - (1 - bias[:, 0]) * biases
