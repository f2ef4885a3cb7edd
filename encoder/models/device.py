"""Where models run: on a GPU where there is one, on the CPU otherwise, or where somebody says."""

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
        name: "cpu", "cuda", "cuda:1", "mps"; None = what the environment variable HEADLIGHT_DEVICE says, and where it
            says nothing the first CUDA device, or the CPU where there is none.
    Raises:
        DeviceError: there is no such device.
    """
    wanted = os.environ.get(VARIABLE, "").strip() if name is None else name
    if not wanted:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    named = NAME.fullmatch(wanted)
    if named is None:
        raise DeviceError(f"{wanted!r} names no device: write cpu, cuda, cuda:1 or mps.")
    kind, index = named.groups()
    available = int(BACKENDS[kind].device_count())
    if int(index or 0) >= available:
        raise DeviceError(
            f"There is no device {wanted!r} here: this torch finds {available} of the kind {kind!r}. Choose another "
            f"with --device or {VARIABLE}, such as cpu."
        )
    return torch.device(wanted)


def device_of(model: nn.Module) -> torch.device:
    """Where a model's weights are."""
    return next(model.parameters()).device


def add_device_option(parser: argparse.ArgumentParser) -> None:
    """The option `--device` of the commands that run a model."""
    parser.add_argument("--device", help=f"cpu, cuda, cuda:1 or mps (default: {VARIABLE}, or a GPU where there is one)")
