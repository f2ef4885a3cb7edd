"""What all trainings share: one pass over the batches, the learning rate, averaged weights, and resuming.

An epoch's random numbers follow from the seed and the epoch's number alone. A training that was interrupted therefore
repeats the epoch that it was in, and ends with the weights of an uninterrupted one.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm

from encoder.training.checkpointing import check_settings, load_state, save_state

B = TypeVar("B")  # what a training calls a batch


class TrainingLoop(ABC, Generic[B]):
    """A model in training, which can be saved after an epoch and resumed from there.

    Attributes:
        SAVED_ATTRIBUTES: attributes that are saved as they are; their tensors are on the CPU.
        settings: a dataclass with a `seed` and a number of `epochs`.
        epoch: epochs done so far.
    """

    SAVED_ATTRIBUTES: ClassVar[tuple[str, ...]]
    settings: Any
    model: nn.Module
    optimizer: torch.optim.Optimizer
    epoch: int

    @abstractmethod
    def batch_loss(self, batch: B) -> Tensor:
        """The loss on a batch."""

    @abstractmethod
    def learning_rates(self, index: int, batches: int) -> Sequence[float]:
        """The learning rate of each parameter group for batch `index` of this epoch."""

    @abstractmethod
    def after_step(self) -> None:
        """Called after each update of the weights."""

    def train_epoch(self, batches: Iterable[B], *, total: int, quiet: bool) -> list[float]:
        """Update the weights once per batch; dropout follows from the seed and the epoch.

        Args:
            total: how many batches there are.
            quiet: whether to leave out the progress bar.
        Returns:
            The loss of each batch.
        """
        torch.manual_seed(self.settings.seed * 1_000 + self.epoch)
        self.model.train()
        losses: list[float] = []
        what = f"epoch {self.epoch + 1} of at most {self.settings.epochs}"
        bar = tqdm(batches, total=total, desc=what, unit=" batches", disable=quiet, mininterval=5.0)
        for index, batch in enumerate(bar):
            loss = self.batch_loss(batch)
            for group, rate in zip(self.optimizer.param_groups, self.learning_rates(index, total), strict=True):
                group["lr"] = rate
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            self.after_step()
            losses.append(float(loss.detach()))
            bar.set_postfix(loss=f"{np.mean(losses[-100:]):.4f}", refresh=False)
        self.epoch += 1
        return losses

    @abstractmethod
    def weights(self) -> dict[str, dict[str, Any]]:
        """The tensors that training changes on its device, under names that are not in `SAVED_ATTRIBUTES`."""

    @abstractmethod
    def restore(self, weights: Mapping[str, Any], where: str) -> None:
        """Load what `weights` returned, and ignore other entries; `where` is for messages.

        Raises:
            CheckpointError: they do not fit.
        """

    def save(self, path: Path) -> None:
        """Write everything that `resume` needs to one file, as a whole or not at all."""
        save_state(
            path,
            settings=json.dumps(asdict(self.settings)),
            optimizer=self.optimizer.state_dict(),
            **self.weights(),
            **{name: getattr(self, name) for name in self.SAVED_ATTRIBUTES},
        )

    def resume(self, path: Path) -> None:
        """Continue from the last `save`, whatever device that was made on.

        Raises:
            CheckpointError: the file is missing or damaged, or of a training with other settings.
        """
        state = load_state(path)
        check_settings(path, state["settings"], self.settings)
        self.restore(state, str(path))
        self.optimizer.load_state_dict(state["optimizer"])
        for name in self.SAVED_ATTRIBUTES:
            setattr(self, name, state[name])


def learning_rate_at(progress: float, *, warm_up: float, learning_rate: float) -> float:
    """Linear warm-up, then a half cosine to zero; `progress` runs from 0 to 1 over the whole training."""
    if progress < warm_up:
        return learning_rate * progress / warm_up
    rest = (progress - warm_up) / (1 - warm_up)
    return learning_rate * 0.5 * (1 + math.cos(math.pi * rest))


def on_cpu(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Copies on the CPU, which later steps do not change."""
    return {name: tensor.detach().to("cpu", copy=True) for name, tensor in tensors.items()}


@torch.no_grad()
def update_average(average: Mapping[str, Tensor], values: Mapping[str, Tensor], *, step: int, averaging: float) -> None:
    """Move an average over the steps, in place, towards the values after `step` of them (Polyak & Juditsky 1992).

    Args:
        averaging: share of the old average that a step keeps; less in the first steps, when that is still random.
    """
    decay = min(averaging, (1 + step) / (10 + step))
    for name, value in values.items():
        average[name].lerp_(value, 1 - decay)
