"""The device that models run on: a chosen one, else a GPU if there is one, else the CPU."""

from __future__ import annotations

import argparse
import os
import re

import torch
from torch import nn

from encoder.errors import DeviceError

VARIABLE = "HEADLIGHT_DEVICE"
NAME = re.compile(r"(cpu|cuda|mps)(?::(\d+))?", re.ASCII)
BACKENDS = {"cpu": torch.cpu, "cuda": torch.cuda, "mps": torch.mps}


def choose_device(name: str | None = None) -> torch.device:
    """The device that models run on.

    Args:
        name: "cpu", "cuda", "cuda:1", "mps"; None = the environment variable HEADLIGHT_DEVICE, else the
            first CUDA device, else the CPU.
    Raises:
        DeviceError: there is no such device.
    """
    wanted = os.environ.get(VARIABLE, "").strip() if name is None else name
    if not wanted:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    named = NAME.fullmatch(wanted)
    if named is None:
        raise DeviceError(f"{wanted!r} is not a device: use cpu, cuda, cuda:1 or mps.")
    kind, index = named.groups()
    available = int(BACKENDS[kind].device_count())
    if int(index or 0) >= available:
        raise DeviceError(
            f"There is no device {wanted!r} here: torch finds {available} of kind {kind!r}. Choose another "
            f"with --device or {VARIABLE}, such as cpu."
        )
    return torch.device(wanted)


def device_of(model: nn.Module) -> torch.device:
    """The device of a model's weights."""
    return next(model.parameters()).device


def add_device_option(parser: argparse.ArgumentParser) -> None:
    """The option `--device` of the commands that run a model."""
    parser.add_argument("--device", help=f"cpu, cuda, cuda:1 or mps (default: {VARIABLE}, or a GPU if there is one)")
