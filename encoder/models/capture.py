"""Queries, keys and values out of any model of `transformers`, without touching its code.

`transformers` looks its attention function up by name in `AttentionInterface`. Ours notes what it is given
and hands over to the fused kernel, so that a traced forward pass costs what a plain one does. Its mask
function must be registered beside it: without one the model gets no mask at all, and padding is attended.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import repeat_kv, sdpa_attention_forward
from transformers.masking_utils import AttentionMaskInterface, sdpa_mask
from transformers.utils.logging import disable_progress_bar, set_verbosity_error

from encoder.models.changes import silence
from encoder.models.tensors import additive, to_numpy
from encoder.trace import LayerAttention

ATTENTION_NAME = "headlight_capture"


@dataclass(slots=True)
class Capture:
    """What one forward pass hands out, in the order in which the layers run."""

    silenced_heads: tuple[tuple[int, int], ...] = ()
    layers: list[LayerAttention] = field(default_factory=list)


_capture: ContextVar[Capture | None] = ContextVar("headlight_capture", default=None)


@contextmanager
def capturing(silenced_heads: tuple[tuple[int, int], ...] = ()) -> Iterator[Capture]:
    """Collect the attention of every layer that runs inside, in this thread only."""
    capture = Capture(silenced_heads)
    token = _capture.set(capture)
    try:
        yield capture
    finally:
        _capture.reset(token)


def register() -> None:
    """Make the capture known to `transformers`, and its loading quiet; calling it again changes nothing.

    What it would warn about, tensors that are missing or of another shape, is an error of ours.
    """
    disable_progress_bar()
    set_verbosity_error()
    AttentionInterface.register(ATTENTION_NAME, _attention)
    AttentionMaskInterface.register(ATTENTION_NAME, sdpa_mask)


def _attention(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None, **kwargs: Any
) -> tuple[Tensor, None]:
    """`sdpa_attention_forward`, with a note of what it was given. query: (B, H, T, K); context: (B, T, H, K)."""
    context, _ = sdpa_attention_forward(module, query, key, value, attention_mask, **kwargs)
    context = silence(context)
    capture = _capture.get()
    if capture is None:
        return context, None
    layer = len(capture.layers)
    capture.layers.append(_note(module, query, key, value, attention_mask, kwargs))
    silenced = [head for at, head in capture.silenced_heads if at == layer]
    if silenced:
        context[:, :, silenced] = 0.0
    return context, None


def _note(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    kwargs: dict[str, Any],
) -> LayerAttention:
    # Grouped-query attention: several query heads share a key head.
    shared = query.shape[1] // key.shape[1]
    scaling = kwargs.get("scaling")
    return LayerAttention(
        query=to_numpy(query[0]),
        key=to_numpy(repeat_kv(key, shared)[0]),
        value=to_numpy(repeat_kv(value, shared)[0]),
        scaling=query.shape[-1] ** -0.5 if scaling is None else float(scaling),
        bias=_bias(module, query, mask, kwargs),
    )


def _bias(module: nn.Module, query: Tensor, mask: Tensor | None, kwargs: dict[str, Any]) -> Any:
    """Mask and position bias as one addition to the scores, decided as `sdpa_attention_forward` decides it."""
    length = query.shape[2]
    is_causal = kwargs.get("is_causal")
    if is_causal is None:
        is_causal = getattr(module, "is_causal", True)
    if mask is None and is_causal and length > 1:
        mask = torch.ones(length, length, dtype=torch.bool).tril()[None, None]  # (1, 1, T, T)
    bias = additive(mask)
    position_bias = kwargs.get("position_bias")
    if position_bias is None:
        return bias
    added = to_numpy(position_bias[0])
    return added if bias is None else bias + added
