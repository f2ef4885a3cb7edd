"""Which links carry an output: what each attention weight contributes, and what is left of the output by some alone.

A gate of 1 stands at each attention weight of all layers and heads. The gradient with respect to the gates, integrated
while all of them open together from 0 to 1, divides the output among the links: it adds up, and puts sets of links in
order. The gradient at the text estimates the effect of cutting one link.

Source: Hao et al. (2021), "Self-Attention Attribution", equation 4, here with all layers at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from encoder.attribution.explaining import target_of
from encoder.attribution.patching_estimates import intervention_effects
from encoder.attribution.quantities import OutputNumber, batch_of
from encoder.attribution.questions import Question
from encoder.attribution.target import Target
from encoder.columns import Columns
from encoder.errors import ArgumentError, SelectionError
from encoder.measures.ranks import order_of_links
from encoder.models.base import Backend
from encoder.models.hooks import Hooks, Point
from encoder.models.interventions import Intervention
from encoder.models.tensors import to_numpy
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray
from encoder.runs.links import Link
from encoder.text.given import Given
from encoder.text.tokens import Tokens

Source = Literal["integrated-gradients", "gradient", "weights"]
OPENED = (1 / 6, 1 / 2, 5 / 6)  # the shares of all gates at which the gradient is taken
GATES = 4_000_000  # numbers per batch
STEPS = 1.15  # ratio of the numbers of links that are tried
QUARTERS = 6  # a search begins with 4 ** -6 of all links, .02 %


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class Carriers(Columns):
    """What each link contributes to an output of a model for a text.

    Attributes:
        values: (L, H, T, T), query by key, in `target.additive_unit`; weights for the source "weights". 0 for links
            that cannot reach the target: see `encoder.measures.ranks.order_of_links`.
        weights: (L, H, T, T) of attention.
    """

    backend: Backend
    target: Target
    values: FloatArray
    weights: FloatArray

    @property
    def about(self) -> str:
        return f"{self.target.tokens.about}, in {self.target.additive_unit}"

    @property
    def columns(self) -> dict[str, Any]:
        """Columns of a row for each link in `order`: layer, head, query, key, weight, contribution."""
        order = self.order
        layers, heads, queries, keys = np.unravel_index(order, self.values.shape)
        labels = self.target.tokens.labels
        return {
            "layer": layers,
            "head": heads,
            "query": [labels[at] for at in queries],
            "key": [labels[at] for at in keys],
            "query_position": queries,
            "key_position": keys,
            "weight": self.weights.ravel()[order],
            "contribution": self.values.ravel()[order],
        }

    @property
    def order(self) -> NDArray[np.intp]:
        """(N,) all links that reach the target, as flat indices of `values`, by how much they raise it."""
        return order_of_links(self.values)

    @property
    def size(self) -> int:
        """The number N of links that reach the target."""
        return int(np.count_nonzero(self.values))

    def kept(self, count: int) -> float:
        """The target, as people read it, with the `count` strongest links alone: all other weights are 0."""
        return float(self.curve([count])[0])

    def curve(self, counts: Sequence[int], order: NDArray[np.intp] | None = None, *, cut: bool = False) -> FloatArray:
        """(C,) the target with the first links of an order alone, by default the strongest; counts of links.

        Args:
            cut: whether these are cut and all others stay.
        Raises:
            SelectionError: there are not so many links.
        """
        order, size = self.order if order is None else order, self.size
        for count in counts:
            if not 0 <= count <= size:
                raise SelectionError(f"{count:,} links were to be kept; {size:,} reach the target.")
        gates = [np.full(self.values.shape, cut) for _ in counts]
        for opened, count in zip(gates, counts, strict=True):
            opened.flat[order[:count]] = not cut
        return gated(self.backend, self.target.tokens, self.target.shown, gates)

    def search(
        self, share: float, order: NDArray[np.intp] | None = None, *, cut: bool = False
    ) -> tuple[list[int], FloatArray, int | None]:
        """Where the first links of an order alone keep a share of the target, or cutting them leaves less than that.

        Args:
            share: above 0, and at most 1.
            order, cut: as for `curve`.
        Raises:
            ArgumentError: there is no such share.
            SelectionError: no link reaches the target.
        Returns:
            C numbers of links, (C,) the target with or without these, and the first number that does it, or None. The
            numbers are 0, all, and quarters of quarters of all, down to `QUARTERS`; between the last one that does not
            and the next a bisection finds the number among those 15 % apart.
        """
        if not 0 < share <= 1:
            raise ArgumentError(f"A share of the target lies between 0 and 1; this is {share}.")
        order, size = self.order if order is None else order, self.size
        if not size:
            raise SelectionError("No attention weight changes this output: its gradient is 0 at all of them.")
        counts = sorted({0, size, *(size // 4**power for power in range(1, QUARTERS + 1))})
        left = self.curve(counts, order, cut=cut)
        least, steps = share * left[0 if cut else -1], counts_up_to(size)
        while True:
            reached = left < least if cut else left >= least
            if not reached.any():
                return counts, left, None
            first = int(reached.argmax())
            inside = [count for count in steps if first and counts[first - 1] < count < counts[first]]
            if not inside:
                return counts, left, counts[first]
            tried = sorted({inside[len(inside) * part // 4] for part in (1, 2, 3)})
            counts[first:first] = tried
            left = np.insert(left, first, self.curve(tried, order, cut=cut))

    def smallest(self, share: float = 0.9, order: NDArray[np.intp] | None = None) -> int:
        """The smallest number of links that alone keep a share of the target, of those that `search` tries.

        Args:
            share: of the target with all links, which must be positive.
            order: as for `curve`.
        Raises:
            ArgumentError: the share is not from 0 to 1, or the target is not positive.
        """
        _, left, count = self.search(share, order)
        if count is None or left[-1] <= 0:
            raise ArgumentError(f"The target is {left[-1]:.3g}: a share of it is kept only where it is positive.")
        return count


def carriers(
    backend: Backend,
    question: Given | Question | Target,
    *,
    source: Source = "integrated-gradients",
    label: int | str | None = None,
) -> Carriers:
    """What each attention weight contributes to an output of the model.

    Args:
        question, label: as for `explain`.
        source: "integrated-gradients", which puts sets of links in order; "gradient" at the text, which estimates what
            a single link is worth; or the attention weights themselves.
    Raises:
        ArgumentError: there is no such source.
        SelectionError: the model's attention cannot be changed.
        HeadlightError: the question has no target: see `resolve_target`.
    """
    target = target_of(backend, question, label)
    trace = backend.run(target.tokens)
    weights = trace.all_weights()
    if source in ("gradient", "weights"):
        [values] = gate_gradients(backend, target.tokens, target.additive, [1.0])
        values = values if source == "gradient" else np.where(values, weights, 0)
    elif source == "integrated-gradients":
        values = gate_gradients(backend, target.tokens, target.additive, OPENED).mean(0)
    else:
        raise ArgumentError(f"There is no source {source!r}: choose integrated-gradients, gradient or weights.")
    return Carriers(backend=backend, target=target, values=values, weights=weights)


def counts_up_to(size: int) -> list[int]:
    """Numbers from 0 to `size`, some 15 % apart."""
    steps = int(np.ceil(np.log(max(2, size)) / np.log(STEPS)))
    return sorted({0, size, *(min(size, int(np.ceil(STEPS**step))) for step in range(steps + 1))})


def gate_gradients(backend: Backend, tokens: Tokens, quantity: OutputNumber, opened: Sequence[float]) -> FloatArray:
    """The gradients of a quantity with respect to the gates of all links, where all are equally open.

    Args:
        opened: S values of all gates.
    Returns:
        (S, L, H, T, T) in the quantity's unit.
    Raises:
        SelectionError: the model's attention cannot be changed.
    """
    found = []
    for some in _split(opened, backend, tokens):
        batch = batch_of(backend, [tokens] * len(some))
        start = torch.tensor(some, device=batch.input_ids.device).view(-1, 1, 1, 1)
        shape = (len(some), backend.num_heads, len(tokens), len(tokens))
        gates = [start.expand(shape).clone().requires_grad_() for _ in range(backend.num_layers)]
        with torch.enable_grad(), backend.threads(len(some) * len(tokens)):
            total = quantity(backend.run_batch(batch, _gating(gates))).sum()
            gradients = torch.autograd.grad(total, gates, allow_unused=True, materialize_grads=True)
        found.append(to_numpy(torch.stack(gradients, dim=1)))
    return np.concatenate(found)


@torch.no_grad()
def gated(backend: Backend, tokens: Tokens, quantity: OutputNumber, gates: Sequence[NDArray[np.bool_]]) -> FloatArray:
    """(N,) a quantity with N sets of open gates, each (L, H, T, T); closed ones make weights 0.

    Raises:
        SelectionError: the model's attention cannot be changed.
    """
    values = []
    for some in _split(gates, backend, tokens):
        batch = batch_of(backend, [tokens] * len(some))
        opened = torch.tensor(np.stack(some), device=batch.input_ids.device)  # (B, L, H, T, T)
        with backend.threads(len(some) * len(tokens)):
            values.append(quantity(backend.run_batch(batch, _gating(opened.unbind(1)))))
    return to_numpy(torch.cat(values)) if values else np.zeros(0, np.float32)


def _gating(gates: Sequence[Tensor]) -> Hooks:
    """Hooks that multiply the weights of each layer by its gates (B, H, T, T)."""
    return {Point("weights"): (lambda weights, point: weights * gates[point.layer or 0],)}


def _split(items: Sequence[Any], backend: Backend, tokens: Tokens) -> list[Sequence[Any]]:
    """Batches within `GATES` numbers."""
    rows = max(1, GATES // (backend.num_layers * backend.num_heads * len(tokens) ** 2))
    return [items[first : first + rows] for first in range(0, len(items), rows)]


def cut_estimates(gradients: FloatArray, weights: FloatArray, *, renormalised: bool = True) -> FloatArray:
    """What cutting each link alone changes, estimated from the gradients at the text.

    Renormalised, the other keys of the row get what the cut key loses, each in proportion to its weight.

    Args:
        gradients: (L, H, T, T) of `gate_gradients` where all gates are open.
        weights: (L, H, T, T) of attention.
    Returns:
        (L, H, T, T) changes in the quantity's unit.
    """
    if not renormalised:
        return -gradients
    rows, rest = gradients.sum(-1, keepdims=True), 1 - weights
    return np.divide(weights * rows - gradients, rest, out=np.zeros_like(weights), where=rest > 0)


def cut_effects(
    backend: Backend,
    tokens: Tokens,
    quantity: OutputNumber,
    links: Sequence[Link],
    *,
    renormalised: bool = True,
    progress: Progress = no_progress,
) -> FloatArray:
    """(N,) what cutting each of N links alone changes in a quantity: one run each, in batches.

    Raises:
        SelectionError: there is no such token, layer or head, or the model's attention cannot be changed.
    """
    cuts = [backend.located(tokens, Intervention(links=(link,), renormalised=renormalised)) for link in links]
    return intervention_effects(backend, tokens, quantity, cuts, progress=progress)
