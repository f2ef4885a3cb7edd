"""torch's random numbers, which the whole process shares: drawn by one thread at a time, and put back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

_generator = threading.Lock()


@contextmanager
def random_numbers_kept() -> Iterator[None]:
    """Leave torch's generator as it was; it is the whole process's, so that one thread at a time may seed it."""
    with _generator, torch.random.fork_rng(devices=[]):
        yield
