"""How many of torch's threads work on one run: small runs take one, large ones all.

Threads wait for each other many times in a forward pass. For a short text that costs more than it gives, above all
where other programs or other people's runs want the same cores.

`torch.set_num_threads` takes 0.1 µs. It counts for the thread that calls it, and for threads that use torch for the
first time afterwards. One that begins while another thread is inside a small run keeps a single thread therefore.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import torch
from torch import nn

# Multiplications: 30 to 45 ms on one core, the bundled model at 128 tokens. Alone it would be done sooner on two cores;
# while a browser draws on them, what is typed is painted a sixth sooner after a run on one.
SMALL = 1_500_000_000
# The same with packed weights (`encoder.models.packed`): 50 ms. A run of 256 tokens takes 33 ms on one core, and by MKL
# 40 on two. What each of 16 tokens adds to a class was painted after 146 ms with one thread and 205 with two, beside a
# browser and other work.
SMALL_PACKED = 4_500_000_000

_IS_INSIDE: ContextVar[bool] = ContextVar("is_inside", default=False)
_BEFORE_RUN: ContextVar[Callable[[], object]] = ContextVar("before_run", default=lambda: None)


@contextmanager
def before_each_run(call: Callable[[], object]) -> Iterator[None]:
    """Inside, `call` is called before each run of a model, and an exception that it raises ends the work.

    Work of minutes gives way to others there.
    """
    token = _BEFORE_RUN.set(call)
    try:
        yield
    finally:
        _BEFORE_RUN.reset(token)


def multiplied_weights(model: nn.Module) -> int:
    """How many weights every token is multiplied with: all parameters but tables, where it looks up a row."""
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
def threads_for(multiplications: int, *, small: int = SMALL) -> Iterator[None]:
    """Run what is inside on one thread where it is small, and on as many as there were otherwise.

    Inside another one this changes nothing: a batch that vectorising hides from a model is not small.
    """
    if _IS_INSIDE.get():
        yield
        return
    _BEFORE_RUN.get()()
    before, outside = torch.get_num_threads(), _IS_INSIDE.set(True)
    if multiplications <= small:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
        _IS_INSIDE.reset(outside)


_generator = threading.Lock()


@contextmanager
def preserve_random_state() -> Iterator[None]:
    """Restore the state of torch's generator afterwards; the process has one generator, so one thread at a time."""
    with _generator, torch.random.fork_rng(devices=[]):
        yield
