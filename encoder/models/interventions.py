"""What is changed in a run of a model: heads that are silenced, and states that are put in place of its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.errors import SelectionError, ShapeError
from encoder.models.hooks import Hook, Hooks, Point, state_point
from encoder.runs.arrays import FloatArray
from encoder.text.occurrences import Positions


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """One state put in place of some tokens' own.

    Attributes:
        state_index: which of the hidden states: 0 is the embedding output, l + 1 leaves layer l.
        positions: the tokens, all of which get the same state.
        state: (D,).
    """

    state_index: int
    positions: Positions
    state: FloatArray

    def __post_init__(self) -> None:
        if self.state.ndim != 1:
            raise ShapeError(
                f"A state of shape {self.state.shape} cannot be put in place: one of shape (D,) is needed."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervention:
    """Everything that is changed in one run.

    Attributes:
        silenced_heads: (layer, head) pairs whose context is replaced by zero.
        patches: states put in place.
    """

    silenced_heads: tuple[tuple[int, int], ...] = ()
    patches: tuple[Patch, ...] = ()

    def check_patches(self, *, tokens: int, layers: int) -> None:
        """Raise SelectionError where a patch goes to a token or a hidden state that is not there."""
        for patch in self.patches:
            if not 0 <= patch.state_index <= layers:
                raise SelectionError(f"A state was to be put in place at {patch.state_index}; there are 0 to {layers}.")
            if not patch.positions or not all(0 <= position < tokens for position in patch.positions):
                raise SelectionError(
                    f"A state was to be put in place of the tokens {patch.positions}; there are 0 to {tokens - 1}."
                )


UNCHANGED = Intervention()


def hooks_of(interventions: Sequence[Intervention], *, num_heads: int) -> Hooks:
    """Hooks that change every text of a batch in a way of its own: row b as `interventions[b]` says."""
    silenced: dict[int, Tensor] = {}  # (B, H) by layer
    patches: defaultdict[int, list[tuple[int, Patch]]] = defaultdict(list)  # with their rows, by hidden state
    for row, intervention in enumerate(interventions):
        for layer, head in intervention.silenced_heads:
            if layer not in silenced:
                silenced[layer] = torch.zeros(len(interventions), num_heads, dtype=torch.bool)
            silenced[layer][row, head] = True
        for patch in intervention.patches:
            patches[patch.state_index].append((row, patch))
    hooks: dict[Point, tuple[Hook, ...]] = {
        Point("context", layer): (_silencing(of_layer),) for layer, of_layer in silenced.items()
    }
    return hooks | {state_point(index): (_patching(of_state),) for index, of_state in patches.items()}


def _silencing(silenced: Tensor) -> Hook:
    """A hook on a layer's context: (B, H) heads whose context becomes zero."""

    def silence(context: Tensor, _: Point) -> Tensor:
        return context.masked_fill(silenced[:, :, None, None].to(context.device), 0.0)  # (B, H, T, K)

    return silence


def _patching(patches: Sequence[tuple[int, Patch]]) -> Hook:
    """A hook on a hidden state: a copy with the patches put in place, each in its row of the batch."""

    def put_in_place(states: Tensor, _: Point) -> Tensor:
        states = states.clone()  # (B, T, D)
        for row, patch in patches:
            if len(patch.state) != states.shape[-1]:
                raise ShapeError(
                    f"A state of width {len(patch.state)} cannot be put into a model of width {states.shape[-1]}."
                )
            states[row, list(patch.positions)] = torch.tensor(patch.state).to(states)
        return states

    return put_in_place
