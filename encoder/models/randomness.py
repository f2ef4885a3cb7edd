"""torch's random numbers: the whole process shares one generator, which one thread at a time may seed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

_generator = threading.Lock()


@contextmanager
def preserve_random_state() -> Iterator[None]:
    """Restore the state of torch's generator afterwards; the process has one generator, so one thread at a time."""
    with _generator, torch.random.fork_rng(devices=[]):
        yield
