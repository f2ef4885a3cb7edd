"""Changing a model while it runs: heads silenced and states put in place, another change for each text of a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from encoder.errors import ShapeError
from encoder.models.interventions import Intervention


class Changes:
    """The interventions of a batch, a row each, as tensors.

    Attributes:
        silenced: (B, H) by layer, True where a row's head is silenced; layers where none is are left out.
        patches: (row, positions, (D,) state) by entry of the hidden states.
    """

    def __init__(self, interventions: Sequence[Intervention], *, num_heads: int) -> None:
        self.silenced: dict[int, Tensor] = {}
        self.patches: dict[int, list[tuple[int, list[int], Tensor]]] = {}
        for row, intervention in enumerate(interventions):
            for layer, head in intervention.silenced_heads:
                if layer not in self.silenced:
                    self.silenced[layer] = torch.zeros(len(interventions), num_heads, dtype=torch.bool)
                self.silenced[layer][row, head] = True
            for patch in intervention.patches:
                placed = (row, list(patch.positions), torch.tensor(patch.state))
                self.patches.setdefault(patch.entry, []).append(placed)

    def patch(self, entry: int, states: Tensor) -> Tensor:
        """(B, T, D) states with those put in place that belong after this entry; the given ones stay as they were.

        Raises:
            ShapeError: a state comes from a model of another width.
        """
        if entry not in self.patches:
            return states
        states = states.clone()
        for row, positions, state in self.patches[entry]:
            if len(state) != states.shape[-1]:
                raise ShapeError(
                    f"A state of width {len(state)} cannot be put into a model of width {states.shape[-1]}."
                )
            states[row, positions] = state.to(states)
        return states


@dataclass(slots=True)
class _Run:
    """One changed run of a model of `transformers`: its layers and carriers are told apart by the order of calls."""

    changes: Changes
    layer: int = 0
    calls: dict[nn.Module, int] = field(default_factory=dict)


_run: ContextVar[_Run | None] = ContextVar("headlight_changes", default=None)


@contextmanager
def changing(changes: Changes) -> Iterator[None]:
    """Change the model that runs inside, in this thread only."""
    token = _run.set(_Run(changes))
    try:
        yield
    finally:
        _run.reset(token)


def silence(context: Tensor) -> Tensor:
    """(B, T, H, K) context of the next layer, with the silenced heads of each row replaced by zero."""
    run = _run.get()
    if run is None:
        return context
    silenced = run.changes.silenced.get(run.layer)  # (B, H)
    run.layer += 1
    return context if silenced is None else context.masked_fill(silenced[:, None, :, None], 0.0)


def install(model: nn.Module, forward: Callable[[], Sequence[Tensor]]) -> bool:
    """Make a model of `transformers` take states that are put in place.

    Which module hands on which hidden state is found by watching one run. The hooks stay, and do nothing outside of
    `changing`.

    Args:
        forward: runs the model on some text and returns its L + 1 hidden states.
    Returns:
        Whether every hidden state is what some module returns; if not, nothing is installed.
    """
    seen: list[tuple[nn.Module, Tensor]] = []

    def watch(module: nn.Module, _: Any, output: Any) -> None:
        first = output[0] if isinstance(output, tuple) else output
        if isinstance(first, Tensor):
            seen.append((module, first))

    handles = [module.register_forward_hook(watch) for module in model.modules()]
    try:
        hidden_states = forward()
    finally:
        for handle in handles:
            handle.remove()
    entries = _entries_of_calls(seen, hidden_states)
    if entries is None:
        return False
    for module, of_calls in entries.items():
        module.register_forward_hook(_hook(of_calls))
    return True


def _entries_of_calls(
    seen: Sequence[tuple[nn.Module, Tensor]], hidden_states: Sequence[Tensor]
) -> dict[nn.Module, dict[int, int]] | None:
    """For each module that hands on a hidden state first: which entry it is, by the number of its call."""
    entries: dict[nn.Module, dict[int, int]] = {}
    calls: dict[nn.Module, int] = {}
    wanted = 0
    for module, tensor in seen:
        call = calls.get(module, 0)
        calls[module] = call + 1
        if wanted < len(hidden_states) and _same(tensor, hidden_states[wanted]):
            entries.setdefault(module, {})[call] = wanted
            wanted += 1
    return entries if wanted == len(hidden_states) else None


def _same(tensor: Tensor, other: Tensor) -> bool:
    return tensor.data_ptr() == other.data_ptr() and tensor.shape == other.shape


def _hook(entries: dict[int, int]) -> Callable[[nn.Module, Any, Any], Any]:
    def hook(module: nn.Module, _: Any, output: Any) -> Any:
        run = _run.get()
        if run is None:
            return None
        call = run.calls.get(module, 0)
        run.calls[module] = call + 1
        if call not in entries:
            return None
        if isinstance(output, tuple):
            return (run.changes.patch(entries[call], output[0]), *output[1:])
        return run.changes.patch(entries[call], output)

    return hook
