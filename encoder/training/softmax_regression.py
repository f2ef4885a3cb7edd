"""Softmax regressions on fixed states, from which the probes are made."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F
from tqdm import tqdm

from encoder.shipped.labels import TAGS


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How probes are fitted; what ships was fitted with these."""

    seed: int = 0
    epochs: int = 3
    batch: int = 1024
    learning_rate: float = 2e-3
    weight_decay: float = 1e-3
    combined_epochs: int = 3
    combined_learning_rate: float = 1e-3
    combined_weight_decay: float = 1e-2
    combined_dropout: float = 0.4
    combined_from: int = 1  # the embeddings are left out: they know the word's form only
    homograph_weight: float = 4.0


class Softmaxes(torch.nn.Module):
    """P softmax regressions side by side, on standardised inputs: (B, P, D) to (B, P, C), where `mean` is."""

    def __init__(self, mean: Tensor, scale: Tensor, classes: int) -> None:
        super().__init__()
        self.mean, self.scale = mean, scale  # (P, D)
        self.weight = torch.nn.Parameter(torch.zeros(*mean.shape, classes, device=mean.device))
        self.bias = torch.nn.Parameter(torch.zeros(len(mean), classes, device=mean.device))

    def forward(self, states: Tensor, dropout: float = 0.0) -> Tensor:
        inputs = F.dropout((states - self.mean) / self.scale, dropout, self.training)
        return torch.einsum("bpd,pdc->bpc", inputs, self.weight) + self.bias

    def plain(self) -> tuple[Tensor, Tensor]:
        """(P, C, D) weights and (P, C) biases that give the same on inputs as they are, on the CPU."""
        weight = (self.weight / self.scale.unsqueeze(-1)).transpose(1, 2)
        bias = self.bias - torch.einsum("pcd,pd->pc", weight, self.mean)
        return weight.detach().cpu(), bias.detach().cpu()


def fit(
    states: NDArray[np.float16],
    targets: Tensor,
    settings: Settings,
    *,
    what: str,
    epochs: int,
    learning_rate: float,
    weight_decay: float,
    dropout: float = 0.0,
    weights: Tensor | None = None,
    device: torch.device | None = None,
) -> Softmaxes:
    """Softmax regressions by AdamW, with a learning rate that falls to 0.

    Args:
        states: (N, P, D) inputs.
        targets: (N, P) classes.
        weights: (N,) how much each row counts.
        device: where they are fitted; None = the CPU.
    """
    torch.manual_seed(settings.seed)
    sample = torch.from_numpy(states[:: max(1, len(states) // 20_000)]).float().to(device)
    model = Softmaxes(sample.mean(0), sample.std(0).clamp(min=1e-3), len(TAGS))
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, weight_decay=weight_decay)
    steps = epochs * -(-len(states) // settings.batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    bar = tqdm(total=steps, desc=what, unit=" batches")
    for _ in range(epochs):
        for rows in torch.randperm(len(states)).split(settings.batch):
            outputs = model(torch.from_numpy(states[rows.numpy()]).float().to(device), dropout)  # (B, P, C)
            wanted = targets[rows].to(device)  # (B, P)
            loss = F.cross_entropy(outputs.transpose(1, 2), wanted, reduction="none").sum(1)  # (B,)
            if weights is None:
                mean_loss = loss.mean()
            else:
                counts = weights[rows].to(device)  # (B,)
                mean_loss = (loss * counts).sum() / counts.sum()
            optimizer.zero_grad()
            mean_loss.backward()
            optimizer.step()
            schedule.step()
            bar.update()
    bar.close()
    return model.eval()
