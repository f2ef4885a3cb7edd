"""The effect of silencing each head, or patching each token, on a quantity: estimated from gradients, and exact.

Attribution patching: each head's context is multiplied by 1 minus a gate, which is 0. The gradient with respect to the
gate estimates the change when the gate goes to 1, that is, when the head is silenced. One forward and one backward pass
give the gradients of all heads. Averaging with the gradient where that head alone is silenced is more accurate (the
trapezoidal rule), but costs more than silencing each head.

A quantity that is minimal in the unchanged run, such as a word's distance from itself, has a zero gradient there, so
that nothing can be estimated.

Source: Nanda (2023), "Attribution patching"; Syed et al. (2023), section 2; Michel et al. (2019), section 4.2, for the
gradient with respect to a head's gate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from encoder.attribution.quantities import OutputNumber, batch_of, measure
from encoder.errors import ShapeError
from encoder.measures.ranks import rank_correlation
from encoder.models.base import BATCH_TOKENS, Backend
from encoder.models.hooks import EMBEDDING, Hooks, Point
from encoder.models.interventions import UNCHANGED, Intervention, Patch, hooks_of
from encoder.models.tensors import to_numpy
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray
from encoder.text.tokens import Tokens


def silencing_estimates(
    backend: Backend, tokens: Tokens, quantity: OutputNumber, *, second_gradient: bool = False
) -> FloatArray:
    """Estimate how much a quantity would change if a head's context were zero.

    Args:
        quantity: one number for a text.
        second_gradient: also use the gradient where each head alone is silenced: L * H rows forward and backward.
    Returns:
        (L, H) in the quantity's unit.
    Raises:
        SelectionError: the model's heads cannot be silenced.
    """
    count = backend.num_layers * backend.num_heads
    start = torch.zeros(1, count)
    gradients = _gate_gradients(backend, tokens, quantity, start)[0]  # (L * H,)
    if second_gradient:
        ends = torch.cat(
            [_gate_gradients(backend, tokens, quantity, gates) for gates in torch.eye(count).split(_rows(tokens))]
        )  # (L * H, L * H)
        gradients = (gradients + ends.diagonal()) / 2
    return to_numpy(gradients).reshape(backend.num_layers, backend.num_heads)


def silencing_effects(
    backend: Backend, tokens: Tokens, quantity: OutputNumber, *, progress: Progress = no_progress
) -> FloatArray:
    """How much a quantity changes when a head's context is zero: one run per head, in batches.

    Args:
        progress: called after each batch; an exception raised there ends the sweep.
    Returns:
        (L, H) in the quantity's unit.
    Raises:
        SelectionError: the model's heads cannot be silenced.
    """
    heads = np.ndindex(backend.num_layers, backend.num_heads)
    interventions = [Intervention(silenced_heads=((layer, head),)) for layer, head in heads]
    changes = intervention_effects(backend, tokens, quantity, interventions, progress=progress)  # (L * H,)
    return changes.reshape(backend.num_layers, backend.num_heads)


def patching_estimates(backend: Backend, source: Tokens, target: Tokens, quantity: OutputNumber) -> FloatArray:
    """Estimate how much a quantity of one text would change if a token's state came from another text.

    The mean of the gradients in both texts, times the difference of the states.

    Args:
        source: the text that the states come from.
        target: the text that is patched, with as many tokens.
        quantity: one number for either text.
    Returns:
        (L + 1, T) in the quantity's unit, by hidden state and token.
    Raises:
        ShapeError: the texts differ in length.
    """
    _check_lengths(source, target)
    (states, gradients), (own, own_gradients) = (_state_gradients(backend, text, quantity) for text in (source, target))
    return to_numpy(((gradients + own_gradients) / 2 * (states - own)).sum(-1))


def patching_effects(
    backend: Backend, source: Tokens, target: Tokens, quantity: OutputNumber, *, progress: Progress = no_progress
) -> FloatArray:
    """How much a quantity changes when a token's state comes from another text: one run per state.

    Args, returns and raises as `patching_estimates`; `progress` as in `silencing_effects`.
    """
    _check_lengths(source, target)
    states = next(backend.hidden_states([source]))  # (L + 1, T, D)
    interventions = [
        Intervention(patches=(Patch(state_index=index, positions=(position,), state=states[index, position]),))
        for index, position in np.ndindex(states.shape[:2])
    ]
    return intervention_effects(backend, target, quantity, interventions, progress=progress).reshape(states.shape[:2])


def _state_gradients(backend: Backend, tokens: Tokens, quantity: OutputNumber) -> tuple[Tensor, Tensor]:
    """(L + 1, T, D) hidden states of a text, and the gradients of a quantity with respect to them."""
    from_here: Hooks = {EMBEDDING: (lambda state, _: state.detach().requires_grad_(),)}
    with torch.enable_grad(), backend.threads(len(tokens)):
        output = backend.run_batch(batch_of(backend, [tokens]), from_here)
        states = output.hidden_states  # (1, T, D) each
        gradients = torch.autograd.grad(quantity(output).sum(), states, allow_unused=True, materialize_grads=True)
    return torch.cat(states).detach(), torch.cat(gradients)


def _gate_gradients(backend: Backend, tokens: Tokens, quantity: OutputNumber, gates: Tensor) -> Tensor:
    """(B, L * H) gradients of a quantity with respect to all gates, at B settings (B, L * H) of the gates."""
    batch = batch_of(backend, [tokens] * len(gates))
    gates = gates.to(batch.input_ids.device).requires_grad_()
    by_layer = gates.unflatten(1, (backend.num_layers, backend.num_heads)).unbind(1)  # (B, H) each

    def gate(context: Tensor, point: Point) -> Tensor:
        return context * (1 - by_layer[point.layer or 0])[:, :, None, None]  # (B, H, T, K)

    with torch.enable_grad(), backend.threads(len(gates) * len(tokens)):
        total = quantity(backend.run_batch(batch, {Point("context"): (gate,)})).sum()
        return torch.autograd.grad(total, gates)[0]


@torch.no_grad()
def intervention_effects(
    backend: Backend,
    tokens: Tokens,
    quantity: OutputNumber,
    interventions: Sequence[Intervention],
    *,
    progress: Progress = no_progress,
) -> FloatArray:
    """How much a quantity changes by each of N interventions in runs over one text, in batches.

    Args:
        interventions: located in the text.
        progress: called after each batch; an exception raised there ends the runs.
    Returns:
        (N,) in the quantity's unit.
    """
    every = [UNCHANGED, *interventions]
    values: list[Tensor] = []
    for first in range(0, len(every), _rows(tokens)):
        some = every[first : first + _rows(tokens)]
        hooks = hooks_of(some, num_heads=backend.num_heads)
        with backend.threads(len(some) * len(tokens)):
            output = backend.run_batch(batch_of(backend, [tokens] * len(some)), hooks)
        values.append(quantity(output))
        progress(min(first + len(some), len(every)) - 1, len(interventions))
    measured = torch.cat(values)  # (1 + N,)
    return to_numpy(measured[1:] - measured[0])


def _rows(tokens: Tokens) -> int:
    """The number of copies of a text per batch."""
    return max(1, BATCH_TOKENS // len(tokens))


def _check_lengths(source: Tokens, target: Tokens) -> None:
    if len(source) != len(target):
        raise ShapeError(f"The texts have {len(source)} and {len(target)} tokens: each token needs a counterpart.")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PatchedTexts:
    """Two texts with equally many tokens, whose states can be exchanged, and an output to measure.

    Attributes:
        source: the text that states come from.
        target: the text that is patched.
        quantity: an output for either text.
    """

    source: Tokens
    target: Tokens
    quantity: OutputNumber

    def values(self, backend: Backend) -> tuple[float, float]:
        """The quantity of the source and of the target without patches."""
        source, target = measure(backend, [self.source, self.target], self.quantity).tolist()
        return source, target

    def estimates(self, backend: Backend) -> FloatArray:
        """(L + 1, T) estimated changes of the target's quantity by hidden state and token, from two backward passes."""
        return patching_estimates(backend, self.source, self.target, self.quantity)

    def effects(self, backend: Backend, *, progress: Progress = no_progress) -> FloatArray:
        """(L + 1, T) exact changes, one run each; `progress` as in `patching_effects`."""
        return patching_effects(backend, self.source, self.target, self.quantity, progress=progress)


def agreement(estimates: FloatArray, effects: FloatArray) -> float:
    """Rank correlation of estimates and effects, over the changes that can have an effect.

    A patch has no effect where both texts have the same state, or where no later layer reads the token; estimates are 0
    there.

    Args:
        estimates, effects: (L + 1, T) of `PatchedTexts`, or (L, H) by silenced head.
    Returns:
        From -1 to 1; 0 if fewer than two changes can have an effect.
    """
    can_change = estimates != 0
    return rank_correlation(estimates[can_change], effects[can_change]) if can_change.sum() > 1 else 0.0
