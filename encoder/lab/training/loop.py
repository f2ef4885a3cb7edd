"""The training loop: epochs, averaged weights, the best epoch, and resuming.

An epoch's random numbers follow from the seed and the epoch's number alone. An interrupted training therefore repeats
the epoch that it was in, and ends with the weights of an uninterrupted one.
"""

from __future__ import annotations

import json
import logging
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm

from encoder.errors import CheckpointError
from encoder.lab.training.output import write_atomically
from encoder.shipped.weights_file import trained_weights
from encoder.transformer.restoring import restore_weights

logger = logging.getLogger(__name__)

B = TypeVar("B")  # what a training calls a batch


class TrainingLoop(ABC, Generic[B]):
    """A model in training.

    Attributes:
        SAVED: attributes that are saved as they are; their tensors are on the CPU.
        settings: a dataclass with `seed`, `epochs`, `patience` (epochs without improvement), and `averaging` (the share
            of the old average that a step retains).
        average: the average of the trained weights over the steps, by name.
        epoch, step: how many are done.
        history: the figures of each epoch.
        best: the value, epoch, step and averaged weights of the best epoch.
    """

    model: nn.Module
    SAVED: ClassVar[tuple[str, ...]] = ("epoch", "step", "history", "best")

    def __init__(self, settings: Any, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
        self.settings, self.model, self.optimizer = settings, model, optimizer
        self.average = {name: value.detach().clone() for name, value in trained_weights(model).items()}
        self.epoch, self.step = 0, 0
        self.history: list[dict[str, Any]] = []
        self.best: dict[str, Any] = {"value": -math.inf, "epoch": 0, "step": 0, "tensors": {}}

    @abstractmethod
    def batch_loss(self, batch: B) -> Tensor:
        """The loss on a batch."""

    @abstractmethod
    def learning_rates(self, index: int, batches: int) -> Sequence[float]:
        """The learning rate of each parameter group for batch `index` of this epoch."""

    def run(self, run_epoch: Callable[[], object], *, state: Path | None = None) -> None:
        """Run the remaining epochs, and save the training to `state` after each."""
        while not self.is_over():
            started = time.monotonic()
            run_epoch()
            if state:
                self.save(state)
            logger.info("%.0f s: %s", time.monotonic() - started, self.history[-1])

    def is_over(self) -> bool:
        """Whether all epochs are done, or the last ones brought no improvement."""
        return self.epoch >= self.settings.epochs or self.epoch - self.best["epoch"] >= self.settings.patience

    def train_epoch(self, batches: Iterable[B], *, total: int) -> list[float]:
        """Update the weights once per batch, and return the loss of each of the `total` batches."""
        torch.manual_seed(self.settings.seed * 1_000 + self.epoch)  # of dropout
        self.model.train()
        losses: list[float] = []
        what = f"epoch {self.epoch + 1} of at most {self.settings.epochs}"
        bar = tqdm(batches, total=total, desc=what, unit=" batches", disable=None, mininterval=5.0)
        for index, batch in enumerate(bar):
            loss = self.batch_loss(batch)
            for group, rate in zip(self.optimizer.param_groups, self.learning_rates(index, total), strict=True):
                group["lr"] = rate
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            self.step += 1
            self._update_average()
            losses.append(float(loss.detach()))
            bar.set_postfix(loss=f"{np.mean(losses[-100:]):.4f}", refresh=False)
        self.epoch += 1
        return losses

    def retained_share(self) -> float:
        """The share of the old average that this step retains; less in the first steps, when it is still random."""
        return min(self.settings.averaging, (1 + self.step) / (10 + self.step))

    @torch.no_grad()
    def _update_average(self) -> None:
        """Move the average towards the weights (Polyak & Juditsky 1992)."""
        for name, value in trained_weights(self.model).items():
            self.average[name].lerp_(value, 1 - self.retained_share())

    @contextmanager
    def using(self, weights: Mapping[str, Tensor]) -> Iterator[None]:
        """The model evaluates with other weights, such as the average, within the `with` block."""
        trained = trained_weights(self.model)
        last = {name: value.detach().clone() for name, value in trained.items()}
        restore_weights(trained, weights, where="the training")
        self.model.eval()
        try:
            yield
        finally:
            restore_weights(trained, last, where="the training")

    def note_validation(self, value: float, figures: Mapping[str, Any]) -> None:
        """Record this epoch's figures, and its averaged weights if its value is the largest so far."""
        self.history.append({"epoch": self.epoch, "step": self.step} | dict(figures))
        if value > self.best["value"]:
            tensors = on_cpu(self.average)
            self.best = {"value": value, "epoch": self.epoch, "step": self.step, "tensors": tensors}

    def weights(self) -> dict[str, Mapping[str, Tensor]]:
        """The tensors that training changes, by name and group."""
        return {"model": trained_weights(self.model), "average": self.average}

    def save(self, path: Path) -> None:
        """Write everything that `resume` needs, atomically."""
        state = {
            "settings": json.dumps(asdict(self.settings)),
            "optimizer": self.optimizer.state_dict(),
            "random": torch.get_rng_state(),
            **{group: on_cpu(tensors) for group, tensors in self.weights().items()},
            **{name: getattr(self, name) for name in self.SAVED},
        }
        write_atomically(path, lambda temporary: torch.save(state, temporary))

    def resume(self, path: Path) -> None:
        """Continue from the last `save`, on any device.

        Raises:
            CheckpointError: the file is missing or damaged, or of a training with other settings.
        """
        try:
            state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        except FileNotFoundError as error:
            raise CheckpointError(f"There is nothing to resume at {path}: start without --resume.") from error
        except Exception as error:  # a damaged file raises RuntimeError, UnpicklingError, EOFError, ...
            raise CheckpointError(f"{path} cannot be resumed: {error}") from error
        missing = {"settings", "random", "optimizer", *self.weights(), *self.SAVED} - state.keys()
        if missing:
            raise CheckpointError(f"{path} cannot be resumed: it lacks {', '.join(sorted(missing))}.")
        theirs, ours = json.loads(state["settings"]), json.loads(json.dumps(asdict(self.settings)))
        other = [
            f"{name}: {theirs.get(name)} there, {ours[name]} here" for name in ours if theirs.get(name) != ours[name]
        ]
        if other:
            raise CheckpointError(f"{path} is of a training with other settings ({', '.join(other)}).")
        torch.set_rng_state(state["random"])
        for group, tensors in self.weights().items():
            restore_weights(tensors, state[group], where=str(path))
        self.optimizer.load_state_dict(state["optimizer"])
        for name in self.SAVED:
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
