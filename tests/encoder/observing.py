"""Every intermediate of every attention of a run of our own encoder or decoder."""

from typing import Any, NamedTuple

from torch import Tensor

from encoder.models.hooks import Point, Recorder, hooked
from encoder.models.own_points import expose_points
from encoder.transformer.decoder import Decoder
from encoder.transformer.encoder import Encoder

FUSED = ("query", "key", "value", "context")  # what the fused kernel leaves to be observed


class Observed(NamedTuple):
    """One attention of a run; with the fused kernel there are no scores and weights."""

    query: Tensor  # (B, H, T, K)
    key: Tensor  # (B, H, S, K)
    value: Tensor  # (B, H, S, K)
    context: Tensor  # (B, H, T, K)
    scores: Tensor | None = None  # (B, H, T, S)
    weights: Tensor | None = None  # (B, H, T, S)


def observe(model: Encoder | Decoder, *inputs: Any, fused: bool = False, **options: Any) -> tuple[Any, list[Observed]]:
    """A run's output, and its attentions in the order in which they ran."""
    expose_points(model)
    names = FUSED if fused else (*FUSED, "scores", "weights")
    recorder = Recorder(*map(Point, names), keep=lambda tensor: tensor)
    with hooked(model, recorder.hooks):
        output = model(*inputs, **options)
    numbers = sorted(point.layer for point in recorder.seen if point.name == "query")
    return output, [Observed(**{name: recorder.seen[Point(name, number)] for name in names}) for number in numbers]
