"""A sentiment head for the untouched bundled BERT: one linear layer, fitted to its states as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from encoder.models.base import Backend
from encoder.shipped.labels import SENTIMENTS
from encoder.shipped.sentiment import PooledState, pool_states
from encoder.training.adapter import loss_of
from encoder.training.data import Review
from encoder.training.optimizing import on_cpu


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the head is fitted; what ships was fitted with these."""

    seed: int = 0
    states: tuple[PooledState, ...] = ((4, "cls"), (4, "mean"), (5, "cls"), (5, "mean"))
    decay: float = 1e-2  # of the squared weights, on standardised inputs
    score_weight: float = 10.0
    iterations: int = 200


def features(backend: Backend, reviews: Sequence[Review], states: tuple[PooledState, ...]) -> NDArray[np.float32]:
    """(N, P) pooled states of every text."""
    return np.stack(
        [
            pool_states(backend.trace(review.text).hidden_states, states)
            for review in tqdm(reviews, desc="states of SST train", unit=" sentences")
        ]
    )


def fit(
    inputs: NDArray[np.float32],
    labels: Tensor,
    scores: Tensor,
    settings: Settings,
    *,
    device: torch.device | None = None,
) -> dict[str, Tensor]:
    """The head that fits best, by L-BFGS: it starts at zero and has one optimum, so the result needs no seed.

    Args:
        inputs: (N, P) pooled states.
        labels, scores: (N,) classes and scores.
        device: where it is fitted; None = the CPU, where the result is in any case.
    """
    x, labels, scores = torch.from_numpy(inputs).to(device), labels.to(device), scores.to(device)
    mean, scale = x.mean(0), x.std(0).clamp(min=1e-3)  # (P,)
    x = (x - mean) / scale
    weight = torch.zeros(len(SENTIMENTS) + 1, x.shape[1], device=device, requires_grad=True)
    bias = torch.zeros(len(SENTIMENTS) + 1, device=device, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight, bias], max_iter=settings.iterations, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = loss_of(x @ weight.T + bias, labels, scores, settings.score_weight)
        total = loss + settings.decay * weight.square().sum()
        total.backward()
        return total

    optimizer.step(closure)
    with torch.no_grad():
        plain = weight / scale
        return on_cpu({"head.weight": plain.half(), "head.bias": bias - plain @ mean})
