"""What the figures were measured on, without names or paths of the machine."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version

import torch

PACKAGES = ("torch", "transformers", "streamlit", "plotly", "bertviz")


def machine(chromium: str) -> dict[str, str]:
    """Instructions, cores, threads and versions, in words."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    versions = {name: version(name).partition("+")[0] for name in PACKAGES}
    return {
        "measured": datetime.now(UTC).date().isoformat(),
        "processor": f"{platform.machine()}, {cores} cores, no GPU used",
        "instructions": instructions(),
        "torch threads": str(torch.get_num_threads()),
        "Python": platform.python_version(),
        **versions,
        "Chromium": chromium,
    }


def instructions() -> str:
    """The widest vector instructions that torch uses here, such as "AVX2"."""
    return str(torch.backends.cpu.get_cpu_capability())
