"""Where torch begins and ends: tokens into tensors, and tensors into the arrays of a trace."""

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
from encoder.text.tokens import Tokens


def to_numpy(tensor: Tensor) -> FloatArray:
    """The tensor as float32, on its own memory where that is on the CPU; give it what nothing changes any more.

    A part of a larger tensor, such as the values among fused queries, keys and values, is copied: it would keep all of
    that alive.
    """
    here = tensor.detach().to("cpu", torch.float32)
    array: FloatArray = (here.clone() if here.untyped_storage().nbytes() > here.nbytes else here).numpy()
    return array


def additive(mask: Tensor) -> Tensor:
    """A mask as what is added to the scores, -inf where a key may not be attended.

    Args:
        mask: (B, 1 or H, 1 or T, T), boolean (True = may be attended) or already additive.
    Returns:
        The same shape, float32.
    """
    if mask.dtype == torch.bool:
        return torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, -math.inf)
    lowest = torch.finfo(mask.dtype).min / 2  # models write "not at all" as the lowest number of their type
    return mask.float().masked_fill(mask < lowest, -math.inf)


class AttentionRecorder(Recorder[FloatArray]):
    """Keeps what a trace of one text holds of every attention that runs."""

    def __init__(self) -> None:
        super().__init__(*map(Point, ("query", "key", "value", "mask", "scaling")), keep=_of_one_text)

    @property
    def layers(self) -> tuple[LayerAttention, ...]:
        """In the order in which they ran."""
        numbers = sorted(point.layer for point in self.seen if point.name == "query" and point.layer is not None)
        return tuple(
            LayerAttention(
                query=self.seen[Point("query", number)],
                key=self.seen[Point("key", number)],
                value=self.seen[Point("value", number)],
                scaling=float(self.seen[Point("scaling", number)]),
                bias=self.seen.get(Point("mask", number)),
            )
            for number in numbers
        )


def _of_one_text(tensor: Tensor) -> FloatArray:
    """A point's tensor without its batch axis, a boolean mask as an additive one; the scaling has no axis."""
    if tensor.dtype == torch.bool:
        tensor = additive(tensor)
    return to_numpy(tensor[0] if tensor.dim() else tensor)


class Batch(NamedTuple):
    """Texts padded to one length, (B, T) each."""

    input_ids: Tensor
    token_type_ids: Tensor
    attention_mask: Tensor


def padded(texts: Sequence[Tokens], *, pad_id: int, device: torch.device | None = None) -> Batch:
    """Texts as the rows of a batch, with padding behind them; on the CPU unless told otherwise."""
    length = max(len(tokens) for tokens in texts)
    rows = [(tokens.ids, tokens.token_type_ids, tokens.attention_mask, length - len(tokens)) for tokens in texts]
    return Batch(
        torch.tensor([ids + (pad_id,) * missing for ids, _, _, missing in rows], device=device),
        torch.tensor([types + (0,) * missing for _, types, _, missing in rows], device=device),
        torch.tensor([mask + (0,) * missing for _, _, mask, missing in rows], device=device),
    )


def batches_within(order: Iterable[int], lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Cut an order of texts into batches of neighbours, each as long as it can be.

    Args:
        order: indices of texts; where like lengths are neighbours, there is little padding.
        lengths: tokens of each text.
        budget: tokens of a batch, with its padding. A text that is longer than that is a batch of its own.
    """
    batches: list[list[int]] = []
    current: list[int] = []
    longest = 0
    for index in order:
        longest = max(longest, lengths[index])
        if current and longest * (len(current) + 1) > budget:
            batches.append(current)
            current, longest = [], lengths[index]
        current.append(index)
    return [*batches, current] if current else batches


CANDIDATES = 5  # tokens of each step that a record keeps
CAUSAL_NOTE = "The decoder reads from left to right: a token attends to itself and to earlier tokens only."


def candidates_of(logits: Tensor, label: Callable[[int], str]) -> tuple[tuple[Candidate, ...], ...]:
    """(T, V) to the likeliest tokens of every step, as `label` writes their ids."""
    likeliest = logits.softmax(-1).topk(min(CANDIDATES, logits.shape[-1]))  # (T, 5) each
    return tuple(
        tuple(
            Candidate(label=label(index), probability=probability)
            for index, probability in zip(indices, probabilities, strict=True)
        )
        for indices, probabilities in zip(likeliest.indices.tolist(), likeliest.values.tolist(), strict=True)
    )


# Called after each layer with its number and with what makes the trace of the layers until there. The run waits for it.
OnLayer: TypeAlias = Callable[[int, Callable[[], Trace]], None]


def layer_hooks(
    on_layer: OnLayer,
    recorder: AttentionRecorder,
    trace_of: Callable[..., Trace],
) -> Hooks:
    """Hooks for one run of one text, to be called behind those of the recorder.

    Args:
        recorder: of the same run.
        trace_of: makes a trace of its `layers` and `hidden_states`.
    """
    states: list[FloatArray] = []  # (T, D) each

    def note(state: Tensor, point: Point) -> None:
        states.append(to_numpy(state[0]))
        if point.layer is not None:
            on_layer(point.layer, lambda: trace_of(layers=recorder.layers, hidden_states=np.stack(states)))

    return {Point("embedding"): (note,), Point("output"): (note,)}
