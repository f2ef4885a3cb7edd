"""Interventions in a run: silenced heads and patched states."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import torch
from torch import Tensor

from encoder.errors import SelectionError, ShapeError
from encoder.measures.units import occurrence_states
from encoder.models.hooks import Hook, Hooks, Point, state_point
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from encoder.text.occurrences import Positions, positions_of_word
from encoder.text.tokens import Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """A state that replaces the states of some tokens.

    Attributes:
        state_index: which of the hidden states: 0 is the embedding output, l + 1 the output of layer l.
        positions: the tokens, which all get the same state.
        state: (D,).
    """

    state_index: int
    positions: Positions
    state: FloatArray = field(repr=False)

    @classmethod
    def of_word(cls, source: Trace, word: int, *, into: Tokens, at: int, layer: int) -> Self:
        """A word's state after a layer of one run, for a word of another text.

        Args:
            source: a trace of the same model.
            word: index into `source.tokens.words`.
            into: the other text.
            at: index into `into.words`.
            layer: -1 for the embeddings.
        Raises:
            SelectionError: there is no such word or layer.
            InputError: the word was truncated.
        """
        if not -1 <= layer < source.num_layers:
            raise SelectionError(f"Layer {layer} was asked for; this trace has layers 0 to {source.num_layers - 1}.")
        return cls(
            state_index=layer + 1,
            positions=positions_of_word(into, at),
            state=occurrence_states(source.hidden_states[layer + 1], positions_of_word(source.tokens, word)),
        )

    def __post_init__(self) -> None:
        if self.state.ndim != 1:
            raise ShapeError(f"A state of shape {self.state.shape} cannot be patched in: one of shape (D,) is needed.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervention:
    """All changes to one run: (layer, head) pairs whose context is replaced by zero, and states to patch in."""

    silenced_heads: tuple[tuple[int, int], ...] = ()
    patches: tuple[Patch, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a trace says of the states that were patched in; it lists silenced heads itself."""
        return tuple(
            f"The states of tokens {', '.join(map(str, patch.positions))} "
            f"{f'after layer {patch.state_index - 1}' if patch.state_index else 'in the embeddings'} were replaced."
            for patch in self.patches
        )

    def check_patches(self, *, tokens: int, layers: int) -> None:
        """Raise SelectionError if a patch is for a token or hidden state that does not exist."""
        for patch in self.patches:
            if not 0 <= patch.state_index <= layers:
                raise SelectionError(f"Hidden state {patch.state_index} was to be patched; there are 0 to {layers}.")
            if not patch.positions or not all(0 <= position < tokens for position in patch.positions):
                raise SelectionError(f"Tokens {patch.positions} were to be patched; there are 0 to {tokens - 1}.")


UNCHANGED = Intervention()


def hooks_of(interventions: Sequence[Intervention], *, num_heads: int) -> Hooks:
    """Hooks that apply `interventions[b]` to row b of a batch."""
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
    """A hook on a layer's context that zeroes the (B, H) silenced heads."""

    def silence(context: Tensor, _: Point) -> Tensor:
        return context.masked_fill(silenced[:, :, None, None].to(context.device), 0.0)  # (B, H, T, K)

    return silence


def _patching(patches: Sequence[tuple[int, Patch]]) -> Hook:
    """A hook on a hidden state that patches a copy, each patch in its row of the batch."""

    def patch_rows(states: Tensor, _: Point) -> Tensor:
        states = states.clone()  # (B, T, D)
        for row, patch in patches:
            if len(patch.state) != states.shape[-1]:
                raise ShapeError(
                    f"A state of width {len(patch.state)} cannot be patched into a model of width {states.shape[-1]}."
                )
            states[row, list(patch.positions)] = torch.tensor(patch.state).to(states)
        return states

    return patch_rows
