"""One step of any training: the learning rate, the update, the average of the weights, and what is kept of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import torch
from torch import Tensor, nn


def learning_rate_at(progress: float, *, warm_up: float, learning_rate: float) -> float:
    """Linear warm-up, then a half cosine to zero; `progress` runs from 0 to 1 over the whole training."""
    if progress < warm_up:
        return learning_rate * progress / warm_up
    rest = (progress - warm_up) / (1 - warm_up)
    return learning_rate * 0.5 * (1 + math.cos(math.pi * rest))


def descend(
    optimizer: torch.optim.Optimizer, parameters: Iterable[nn.Parameter], loss: Tensor, *, learning_rate: float
) -> None:
    """One step against the loss; the gradient of `parameters` is cut to a length of 1."""
    for group in optimizer.param_groups:
        group["lr"] = learning_rate
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(parameters, 1.0)
    optimizer.step()


def on_cpu(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Copies on the CPU, which no later step of a training changes."""
    return {name: tensor.detach().to("cpu", copy=True) for name, tensor in tensors.items()}


@torch.no_grad()
def update_average(average: Mapping[str, Tensor], values: Mapping[str, Tensor], *, step: int, averaging: float) -> None:
    """Move an average over the steps, in place, towards the values after `step` of them (Polyak & Juditsky 1992).

    Args:
        averaging: share of the old average that a step keeps; the first steps keep less, for it starts from nothing.
    """
    decay = min(averaging, (1 + step) / (10 + step))
    for name, value in values.items():
        average[name].lerp_(value, 1 - decay)
