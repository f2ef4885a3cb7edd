"""Interventions in a run: silenced heads, patched states and changed links."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import torch
from torch import Tensor

from encoder.errors import SelectionError, ShapeError
from encoder.measures.units import occurrence_states
from encoder.models.hooks import Hook, Hooks, Point, state_point
from encoder.runs.arrays import FloatArray
from encoder.runs.links import EVEN, Link, check_links
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
    """All changes to one run.

    Attributes:
        silenced_heads: (layer, head) pairs whose context is replaced by zero.
        patches: states to patch in.
        links: attention weights to change, in their order.
        renormalised: whether a row of weights keeps its sum where a factor changes it. A row of which nothing remains
            is zero.
    """

    silenced_heads: tuple[tuple[int, int], ...] = ()
    patches: tuple[Patch, ...] = ()
    links: tuple[Link, ...] = ()
    renormalised: bool = True

    def notes(self, tokens: Tokens) -> tuple[str, ...]:
        """A trace's notes on located links and on the states that were patched in; it lists silenced heads itself."""
        of_links = tuple(link.note(tokens) for link in self.links)
        return of_links + tuple(
            f"The states of tokens {', '.join(map(str, patch.positions))} "
            f"{f'after layer {patch.state_index - 1}' if patch.state_index else 'in the embeddings'} were replaced."
            for patch in self.patches
        )

    def located(self, tokens: Tokens, *, layers: int, heads: int) -> Intervention:
        """The same for a text and a model with L layers and H heads, with the positions of all links.

        Raises:
            SelectionError: a patch or a link is for a token, hidden state, layer or head that does not exist, or for a
                word that the text has more than once.
            InputError: the word of a link was truncated.
        """
        count = len(tokens)
        for patch in self.patches:
            if not 0 <= patch.state_index <= layers:
                raise SelectionError(f"Hidden state {patch.state_index} was to be patched; there are 0 to {layers}.")
            if not patch.positions or not all(0 <= position < count for position in patch.positions):
                raise SelectionError(f"Tokens {patch.positions} were to be patched; there are 0 to {count - 1}.")
        check_links(self.links, layers=layers, heads=heads)
        return replace(self, links=tuple(link.located(tokens) for link in self.links))


UNCHANGED = Intervention()


def linked_layers(interventions: Sequence[Intervention]) -> set[int | None]:
    """The layers whose attention weights change; None stands for all."""
    return {link.layer for intervention in interventions for link in intervention.links}


def hooks_of(interventions: Sequence[Intervention], *, num_heads: int) -> Hooks:
    """Hooks that apply `interventions[b]` to row b of a batch."""
    silenced: dict[int, Tensor] = {}  # (B, H) by layer
    patches: defaultdict[int, list[tuple[int, Patch]]] = defaultdict(list)  # with their rows, by hidden state
    links: defaultdict[int | None, list[tuple[int, Link, bool]]] = defaultdict(list)  # with their rows, by layer
    for row, intervention in enumerate(interventions):
        for layer, head in intervention.silenced_heads:
            if layer not in silenced:
                silenced[layer] = torch.zeros(len(interventions), num_heads, dtype=torch.bool)
            silenced[layer][row, head] = True
        for patch in intervention.patches:
            patches[patch.state_index].append((row, patch))
        for link in intervention.links:
            links[link.layer].append((row, link, intervention.renormalised))
    hooks: dict[Point, tuple[Hook, ...]] = {
        Point("context", layer): (_silencing(of_layer),) for layer, of_layer in silenced.items()
    }
    hooks |= {Point("weights", layer): (_linking(of_layer),) for layer, of_layer in links.items()}
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


def _linking(links: Sequence[tuple[int, Link, bool]]) -> Hook:
    """A hook on a layer's weights that changes a copy, each link in its row of the batch.

    Links that are alike are changed together, the first ones of all rows before the second ones.
    """
    counts: Counter[int] = Counter()
    alike: defaultdict[tuple[int, int | None, str | float, bool], list[tuple[int, Link]]] = defaultdict(list)
    for row, link, renormalised in links:
        alike[counts[row], link.head, link.factor, renormalised].append((row, link))
        counts[row] += 1
    in_order = [(key[1:], together) for key, together in sorted(alike.items(), key=lambda item: item[0][0])]

    def change_links(weights: Tensor, _: Point) -> Tensor:
        weights = weights.clone()  # (B, H, T, T)
        for (head, factor, renormalised), together in in_order:
            heads = slice(None) if head is None else slice(head, head + 1)
            places = [(row, query, link.keys) for row, link in together for query in link.queries]
            rows, queries = [row for row, _, _ in places], [query for _, query, _ in places]
            is_key = torch.zeros(len(places), 1, weights.shape[-1], dtype=torch.bool)
            cells = [(at, key) for at, (_, _, keys) in enumerate(places) for key in keys]
            is_key[[at for at, _ in cells], 0, [key for _, key in cells]] = True
            before = weights[rows, heads, queries]  # (R, H', T)
            changed = _changed(before, is_key.to(before.device), factor, renormalised=renormalised)
            weights[rows, heads, queries] = changed
        return weights

    return change_links


def _changed(rows: Tensor, is_key: Tensor, factor: float | str, *, renormalised: bool) -> Tensor:
    """Rows of weights (R, H, T) with those of keys (R, 1, T) multiplied by a factor, or evenly divided."""
    if factor == EVEN:
        seen = is_key & (rows > 0)
        share = (rows * is_key).sum(-1, keepdim=True) / seen.sum(-1, keepdim=True).clamp(min=1)
        return share.where(seen, rows)
    changed = (rows * float(factor)).where(is_key, rows)
    if not renormalised:
        return changed
    left = changed.sum(-1, keepdim=True)
    return changed * (rows.sum(-1, keepdim=True) / left).where(left > 0, 0.0)
