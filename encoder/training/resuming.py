"""A training that is interrupted and goes on: what all kinds of it save, and how they take it up again."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar

import torch

from encoder.training.checkpointing import check_settings, load_state, save_state


class Resumable(ABC):
    """A model in training, with everything that is needed to go on after an interruption."""

    SAVED_ATTRIBUTES: ClassVar[tuple[str, ...]]  # attributes that are saved as they are; their tensors are on the CPU
    settings: Any  # a dataclass
    optimizer: torch.optim.Optimizer

    @abstractmethod
    def weights(self) -> dict[str, dict[str, Any]]:
        """What it changes on its device, step by step, under names that are none of `SAVED_ATTRIBUTES`."""

    @abstractmethod
    def restore(self, weights: Mapping[str, Any], where: str) -> None:
        """Put back what `weights` gave, among other things; `where` is for messages.

        Raises:
            CheckpointError: they do not fit.
        """

    def save(self, path: Path) -> None:
        """Everything that `resume` needs, in one file that is whole or not there."""
        save_state(
            path,
            settings=json.dumps(asdict(self.settings)),
            optimizer=self.optimizer.state_dict(),
            **self.weights(),
            **{name: getattr(self, name) for name in self.SAVED_ATTRIBUTES},
        )

    def resume(self, path: Path) -> None:
        """Go on where `save` was called last, on whatever device that was.

        Raises:
            CheckpointError: the file is missing or damaged, or of a training with other settings.
        """
        state = load_state(path)
        check_settings(path, state["settings"], self.settings)
        self.restore(state, str(path))
        self.optimizer.load_state_dict(state["optimizer"])
        for name in self.SAVED_ATTRIBUTES:
            setattr(self, name, state[name])
