"""Conversions between numpy and torch: tokens to batches, and recorded tensors to the arrays of a trace."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import torch
from torch import Tensor

from encoder.models.hooks import Hooks, Point, Recorder
from encoder.runs.arrays import FloatArray
from encoder.runs.generation import Candidate
from encoder.runs.layer_attention import LayerAttention
from encoder.runs.trace import Trace
from encoder.text.tokens import USUAL_TOKENS, Tokens


def to_numpy(tensor: Tensor) -> FloatArray:
    """The tensor as a float32 array, sharing memory if it is on the CPU, so it must not change afterwards.

    A view of a larger tensor, such as the values in fused queries, keys and values, is copied, so that the rest can be
    freed.
    """
    here = tensor.detach().to("cpu", torch.float32)
    return (here.clone() if here.untyped_storage().nbytes() > here.nbytes else here).numpy()


def additive(mask: Tensor) -> Tensor:
    """An additive mask, -inf where a key may not be attended.

    Args:
        mask: (B, 1 or H, 1 or T, T), boolean (True = may be attended) or already additive.
    Returns:
        The same shape, float32.
    """
    if mask.dtype == torch.bool:
        return torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, -math.inf)
    lowest = torch.finfo(mask.dtype).min / 2  # models use the lowest number of the dtype for masked keys
    return mask.float().masked_fill(mask < lowest, -math.inf)


ROWS = 256  # of a mask that are compared at once


class AttentionRecorder(Recorder[FloatArray]):
    """Records the attention of every layer for the traces of a batch.

    Attributes:
        hooks: of the queries, keys, values and masks from which a trace derives scores and weights.
        of_changed: of the weights of layers in which other hooks change them; None stands for all layers.
    """

    def __init__(self, changed_layers: Iterable[int | None] = ()) -> None:
        super().__init__(*map(Point, ("query", "key", "value", "mask", "sink", "scaling")), keep=_recorded)
        self.of_changed: Hooks = {Point("weights", layer): (self._note,) for layer in changed_layers}

    @property
    def layers(self) -> tuple[LayerAttention, ...]:
        """The layers of a batch of one text, in running order."""
        return self.layers_of(0)

    def layers_of(self, row: int, length: int | None = None) -> tuple[LayerAttention, ...]:
        """The layers of one text of the batch, in running order; `length` cuts off its padding."""
        numbers = sorted(point.layer for point in self.seen if point.name == "query" and point.layer is not None)

        def of_text(name: str, number: int) -> FloatArray:
            return own_row(self.seen[Point(name, number)], row, length)  # (H, T, K)

        windows: dict[int, int | None] = {}  # by the address of the mask, which layers share

        def window(mask: FloatArray | None) -> int | None:
            if mask is None or mask.shape[-1] <= USUAL_TOKENS:
                return None
            address = mask.__array_interface__["data"][0]
            if address not in windows:
                windows[address] = _window_of(mask)
            return windows[address]

        def bias(number: int) -> FloatArray | None:
            masks = self.seen.get(Point("mask", number))
            if masks is None:
                return None
            mask = own_row(masks, min(row, len(masks) - 1), length)[..., :length]  # broadcastable to (H, T, T)
            return mask if len(masks) == 1 or mask.any() else None  # padding alone was masked

        def changed_weights(number: int) -> FloatArray | None:
            weights = self.seen.get(Point("weights", number))
            return None if weights is None else own_row(weights, row, length)[..., :length]  # (H, T, T)

        biases = [bias(number) for number in numbers]
        sinks = [self.seen.get(Point("sink", number)) for number in numbers]
        return tuple(
            LayerAttention(
                query=of_text("query", number),
                key=of_text("key", number),
                value=of_text("value", number),
                scaling=float(self.seen[Point("scaling", number)]),
                bias=added if (around := window(added)) is None else None,
                window=around,
                sink=None if sink is None else sink[0],
                given_weights=changed_weights(number),
            )
            for number, added, sink in zip(numbers, biases, sinks, strict=True)
        )


def _window_of(mask: FloatArray) -> int | None:
    """How far a key may be from the query by a mask (1, T, T) that is nothing but a window around each token."""
    if len(mask) > 1 or mask.shape[1] != mask.shape[2]:
        return None
    positions = np.arange(mask.shape[-1])
    window = int(np.count_nonzero(mask[0, 0] == 0)) - 1
    for start in range(0, len(positions), ROWS):
        rows = positions[start : start + ROWS, None]
        if not np.array_equal(mask[0, start : start + ROWS], np.where(np.abs(rows - positions) > window, -np.inf, 0)):
            return None
    return window


def own_row(array: FloatArray, row: int, length: int | None) -> FloatArray:
    """One text of a batch (B, H, T, ...) without its padding, as an array of its own, so that the rest can be freed."""
    part = array[row, :, :length]
    return part if len(array) == 1 else part.copy()


def _recorded(tensor: Tensor) -> FloatArray:
    """A point's tensor as an array; boolean masks become additive."""
    return to_numpy(additive(tensor) if tensor.dtype == torch.bool else tensor)


class Batch(NamedTuple):
    """Texts padded to one length, (B, T) each."""

    input_ids: Tensor
    token_type_ids: Tensor
    attention_mask: Tensor


def padded(texts: Sequence[Tokens], *, pad_id: int, device: torch.device | None = None) -> Batch:
    """Texts as rows of a batch, padded at the end, by default on the CPU."""
    length = max(len(tokens) for tokens in texts)
    rows = [(tokens.ids, tokens.token_type_ids, tokens.attention_mask, length - len(tokens)) for tokens in texts]
    return Batch(
        torch.tensor([ids + (pad_id,) * missing for ids, _, _, missing in rows], device=device),
        torch.tensor([types + (0,) * missing for _, types, _, missing in rows], device=device),
        torch.tensor([mask + (0,) * missing for _, _, mask, missing in rows], device=device),
    )


def batches_within(
    order: Iterable[int], lengths: Sequence[int], budget: int, *, most_padding: int | None = None
) -> list[list[int]]:
    """Split a sequence of texts into maximal batches of consecutive texts.

    Args:
        order: indices of texts, best sorted by length to save padding.
        lengths: tokens of each text.
        budget: tokens per batch, padding included. A longer text gets a batch of its own.
        most_padding: tokens of padding per batch; None = as many as the budget allows.
    """
    batches: list[list[int]] = []
    current: list[int] = []
    longest = total = 0
    for index in order:
        longest, total = max(longest, lengths[index]), total + lengths[index]
        size = longest * (len(current) + 1)
        if current and (size > budget or (most_padding is not None and size - total > most_padding)):
            batches.append(current)
            current, longest, total = [], lengths[index], lengths[index]
        current.append(index)
    return [*batches, current] if current else batches


CANDIDATES = 5  # recorded per step
CAUSAL_NOTE = "The decoder reads from left to right: a token attends to itself and to earlier tokens only."


def candidates_of(logits: Tensor, label: Callable[[int], str]) -> tuple[tuple[Candidate, ...], ...]:
    """The likeliest tokens of each step from logits (T, V), labelled by `label`."""
    likeliest = logits.softmax(-1).topk(min(CANDIDATES, logits.shape[-1]))  # (T, 5) each
    return tuple(
        tuple(
            Candidate(label=label(index), probability=probability)
            for index, probability in zip(indices, probabilities, strict=True)
        )
        for indices, probabilities in zip(likeliest.indices.tolist(), likeliest.values.tolist(), strict=True)
    )


# Called after each layer with its number and a function that returns the trace up to that layer. The run waits for it.
OnLayer: TypeAlias = Callable[[int, Callable[[], Trace]], None]


def layer_hooks(
    on_layer: OnLayer,
    recorder: AttentionRecorder,
    trace_of: Callable[..., Trace],
) -> Hooks:
    """Hooks for one run of one text, after those of its recorder; `trace_of` takes `layers` and `hidden_states`."""
    states: list[FloatArray] = []  # (T, D) each

    def note(state: Tensor, point: Point) -> None:
        states.append(to_numpy(state[0]))
        if point.layer is not None:
            on_layer(point.layer, lambda: trace_of(layers=recorder.layers, hidden_states=np.stack(states)))

    return {Point("embedding"): (note,), Point("output"): (note,)}
