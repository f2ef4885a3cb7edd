"""The points of `encoder.models.hooks` in our own encoder and decoder."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any, cast

import torch
from torch import Tensor, nn

from encoder.models.hooks import Point, expose, first_time, run_of
from encoder.transformer.attention import Attention, ScaledDotProductAttention
from encoder.transformer.decoder import Decoder, DecoderLayer
from encoder.transformer.encoder import Encoder, EncoderLayer


def expose_points(model: Encoder | Decoder) -> None:
    """Expose all points of one of our models; idempotent."""
    expose(model, Point("embedding"), model.embeddings)
    last = len(model.layers) - 1
    for layer, module in enumerate(model.layers):
        expose(model, Point("output", layer), model.final_norm if layer == last else module)
    for number, attend in enumerate(_attentions(model)):
        expose(model, Point("weights", number), attend.dropout)
        _expose_attention(model, attend, number)


def _attentions(model: Encoder | Decoder) -> Iterable[ScaledDotProductAttention]:
    """The attentions, in running order."""
    for layer in model.layers:
        yield cast(EncoderLayer | DecoderLayer, layer).attention.attend
        if isinstance(layer, DecoderLayer):
            yield layer.cross_attention.attend


def _expose_attention(model: nn.Module, attend: ScaledDotProductAttention, number: int) -> None:
    """Expose the inputs, scores and context of an attention as points of the model."""
    owner = weakref.ref(model)
    inputs = tuple(Point(name, number) for name in ("query", "key", "value", "mask"))

    def before(
        _: nn.Module, arguments: tuple[Tensor | None, ...], options: dict[str, Any]
    ) -> tuple[tuple[Tensor | None, ...], dict[str, Any]] | None:
        run = run_of(owner)
        if run is None:
            return None
        passed = tuple(
            None if tensor is None else run.apply(point, tensor)
            for point, tensor in zip(inputs, arguments, strict=True)
        )
        if run.has_hooks(number, "scaling"):
            run.observe(Point("scaling", number), torch.tensor(cast(Tensor, passed[0]).shape[-1] ** -0.5))
        return passed, {"fused": not run.has_hooks(number, "scores", "weights")}

    def after(_: nn.Module, __: tuple[Any, ...], attention: Attention) -> Attention | None:
        run = run_of(owner)
        if run is None:
            return None
        if attention.scores is not None:
            run.observe(Point("scores", number), attention.scores)
        return attention._replace(context=run.apply(Point("context", number), attention.context))

    if first_time(model, Point("context", number), attend):
        attend.register_forward_pre_hook(before, with_kwargs=True)
        attend.register_forward_hook(after)
