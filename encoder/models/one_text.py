"""Runs of one text in a batch: what is the same in several of them is computed once.

Runs that differ by an intervention are equal in the layers below it. In the layer of a changed link they differ in its
queries alone. Tokens are compared by their numbers, so any hooks may change them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

import torch
from torch import Tensor

from encoder.models.hooks import current_run, state_point
from encoder.models.tensors import Batch
from encoder.transformer.encoder import Encoder, EncoderLayer


def is_one_text(batch: Batch) -> bool:
    """Whether a batch has several runs of one text, without padding; False where gradients may be needed."""
    ids, types, mask = batch
    return (
        torch.is_inference_mode_enabled()
        and len(ids) > 1
        and bool((ids == ids[:1]).all() and (types == types[:1]).all() and mask.all())
    )


def states_of_runs(encoder: Encoder, batch: Batch) -> tuple[Tensor, ...]:
    """L + 1 hidden states (N, T, D) of N runs of one text, as the hooks of the current `hooked` block leave them.

    They differ from `encoder(...)` by the order of sums in products of matrices of fewer rows.
    """
    states = [encoder.embeddings(batch.input_ids, batch.token_type_ids)]  # (N, T, D)
    differs = _differ(states[0])  # (N, T)
    for number, module in enumerate(encoder.layers):
        layer, is_last = cast(EncoderLayer, module), number == len(encoder.layers) - 1
        if differs[1:].all():
            state = layer(states[-1])  # (N, T, D)
        else:
            state, differs = _after_layer(layer, states[-1], differs)
            run = current_run()
            if run is not None and not is_last:
                changed = run.apply(state_point(number + 1), state)
                state, differs = changed, differs if changed is state else _differ(changed)
        states.append(encoder.final_norm(state) if is_last else state)  # whose output is the last state's point
    return tuple(states)


def _after_layer(layer: EncoderLayer, x: Tensor, differs: Tensor) -> tuple[Tensor, Tensor]:
    """The next states of states (N, T, D), and which tokens (N, T) differ from those of the first run afterwards."""
    attention, read = layer.attention, layer.attention_norm(x) if layer.pre_norm else x
    projected = [_once(projection, differs, read) for projection in (attention.query, attention.key, attention.value)]
    context = attention.attend(*map(attention.split_heads, projected), None).context  # (N, H, T, K)
    gathered = attention.merge_heads(context)  # (N, T, D)
    differs = differs | _differ(gathered)
    return _once(partial(_after_context, layer), differs, x, gathered), differs


def _after_context(layer: EncoderLayer, x: Tensor, context: Tensor) -> Tensor:
    """The rest of `EncoderLayer.forward`, which reads each token alone: (..., D) states and contexts to states."""
    x = x + layer.attention.output(context)
    if layer.pre_norm:
        return x + layer.feed_forward(layer.feed_forward_norm(x))
    x = layer.attention_norm(x)
    return layer.feed_forward_norm(x + layer.feed_forward(x))


def _differ(vectors: Tensor) -> Tensor:
    """(N, T) whether vectors (N, T, D) of tokens differ from those of the first run."""
    return (vectors != vectors[:1]).any(-1)


def _once(function: Callable[..., Tensor], differs: Tensor, *inputs: Tensor) -> Tensor:
    """A function of each token's vectors (N, T, D), called for the first run, and for the tokens (N, T) that differ."""
    shared = function(*(each[:1] for each in inputs))  # (1, T, D)
    found = shared.repeat(len(differs), 1, 1)
    found[differs] = function(*(each[differs][None] for each in inputs))[0]  # of (1, R, D)
    return found
