"""torch's threads and random generator. Small runs use one thread, large ones all.

Threads synchronise many times in a forward pass. For a short text that costs more than it gains, above all if other
processes or runs compete for the cores.

`torch.set_num_threads` takes 0.1 µs. It applies to the calling thread, and to threads that first use torch afterwards.
So a thread that starts during another thread's small run keeps a single thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import torch
from torch import nn

# Multiply-adds: 30 to 45 ms on one core, the bundled model at 128 tokens. On idle machines two cores are faster; while
# a browser renders on them, typed text is painted a sixth sooner after a run on one.
SMALL = 1_500_000_000

_IS_INSIDE: ContextVar[bool] = ContextVar("is_inside", default=False)
_BEFORE_RUN: ContextVar[Callable[[], object]] = ContextVar("before_run", default=lambda: None)


@contextmanager
def before_each_run(call: Callable[[], object]) -> Iterator[None]:
    """Inside the block, `call` is called before each run of a model; an exception raised there ends the work.

    Long jobs yield to others there.
    """
    token = _BEFORE_RUN.set(call)
    try:
        yield
    finally:
        _BEFORE_RUN.reset(token)


def multiplied_weights(model: nn.Module) -> int:
    """Number of weights that each token is multiplied with: all parameters except embedding tables."""
    return sum(
        parameter.numel()
        for module in model.modules()
        if not isinstance(module, nn.Embedding)
        for parameter in module.parameters(recurse=False)
    )


def weight_bytes(model: nn.Module) -> int:
    """Bytes of all parameters."""
    return sum(parameter.nbytes for parameter in model.parameters())


@contextmanager
def threads_for(multiplications: int) -> Iterator[None]:
    """Run the block on one thread if it takes at most `SMALL` multiplications.

    Nested blocks have no effect, because `vmap` hides the batch size from a model.
    """
    if _IS_INSIDE.get():
        yield
        return
    _BEFORE_RUN.get()()
    before, outside = torch.get_num_threads(), _IS_INSIDE.set(True)
    if multiplications <= SMALL:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
        _IS_INSIDE.reset(outside)


_generator = threading.Lock()


@contextmanager
def preserve_random_state() -> Iterator[None]:
    """Restore torch's random state afterwards; one thread at a time, because the generator is shared."""
    with _generator, torch.random.fork_rng(devices=[]):
        yield
