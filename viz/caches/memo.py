"""One memo for everything that the app computes, least recently used values dropped first.

| memo   | what                                                     | bytes  | lifetime                   |
|--------|----------------------------------------------------------|--------|----------------------------|
| MODELS | encoders and encoder-decoders: three of BERT-base's size | 1.5 GB | until others need its room |
| JOBS   | jobs, counted with the results that they will have       | 128 MB | the same                   |
| VALUES | runs, messages for the browser, documents, atlases       | 256 MB | the same                   |

Beyond 96 MB, VALUES drops large values that were not used for 10 s, such as runs of texts that have changed since.

At 512 tokens of BERT-base a run takes 82 MB and a layer's message 6.3 MB; a run of a short text takes 1 MB. All
sessions share the memos. Cached values are immutable: arrays are read-only.

A key is the function and plain values: a run in it is represented by its model's revision, texts and tokens. Two
callers of one key wait for one computation. An exception is not cached.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from math import prod
from time import monotonic
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from encoder import Trace
from encoder.runs.generation import Generation
from viz.computing.worker import in_worker, is_worker

P = ParamSpec("P")
Value = TypeVar("Value")

IDLE = 10.0  # seconds without use; a run of the page takes less
LARGE = 100_000  # bytes: smaller values stay, since some of them take seconds to compute


class _Entry(NamedTuple):
    """A cached value, its bytes, and the time of its last use in seconds."""

    value: Any
    size: int
    used: float


class Memo:
    """Values of functions by their arguments. Every method may be called from any thread."""

    def __init__(self, num_bytes: int, *, idle_bytes: int | None = None, most_of_one: int | None = None) -> None:
        """The memo holds so many bytes, and the last value however large it is.

        Args:
            idle_bytes: the total beyond which large values are dropped if they were not used for `IDLE` seconds; None
                for `num_bytes`.
            most_of_one: what a larger value counts as, so that smaller ones fit next to it; None for `num_bytes`.
        """
        self._num_bytes = num_bytes
        self._most_of_one = num_bytes if most_of_one is None else most_of_one
        self._idle_bytes = num_bytes if idle_bytes is None else idle_bytes
        self._entries: dict[Hashable, _Entry] = {}  # the least recently used first
        self._held = 0  # bytes
        self._pending: set[Hashable] = set()
        self._changed = threading.Condition()

    def get(self, function: Callable[P, Value], *args: P.args, **kwargs: P.kwargs) -> Value:
        """The cached value of a function, or its value computed in this thread."""
        return self.compute(key_of(function, *args, **kwargs), lambda: function(*args, **kwargs))

    def peek(self, function: Callable[P, Value], *args: P.args, **kwargs: P.kwargs) -> Value | None:
        """The cached value of a function; None where there is none."""
        with self._changed:
            entry = self._entries.get(key_of(function, *args, **kwargs))
            return None if entry is None else entry.value

    def get_in_worker(self, function: Callable[P, Value], *args: P.args, **kwargs: P.kwargs) -> Value:
        """The cached value of a function, or its value computed in the worker's thread."""
        return self.compute(key_of(function, *args, **kwargs), lambda: in_worker(lambda: function(*args, **kwargs)))

    def compute(self, key: Hashable, work: Callable[[], Value]) -> Value:
        """The value at a key, computed by `work` where it is not cached.

        The worker does not wait for another thread, which may itself be waiting for the worker.
        """
        with self._changed:
            while key in self._pending and not is_worker():
                self._changed.wait()
            if key in self._entries:
                entry = self._entries.pop(key)
                self._entries[key] = entry._replace(used=monotonic())
                value: Value = entry.value
                return value
            self._pending.add(key)
        try:
            value = work()
            size = min(size_of(value) + size_of(key), self._most_of_one)
            with self._changed:
                self._insert(key, _Entry(value, size, monotonic()))
            return value
        finally:
            with self._changed:
                self._pending.discard(key)
                self._changed.notify_all()

    def _insert(self, key: Hashable, entry: _Entry) -> None:
        """Insert a value, and drop others until there is room; the caller holds the lock."""
        if key in self._entries:
            self._drop(key)
        self._held += entry.size
        for oldest, (_, size, used) in list(self._entries.items()):
            if self._held <= (self._idle_bytes if entry.used - used > IDLE else self._num_bytes):
                break
            if size >= LARGE or self._held > self._num_bytes:
                self._drop(oldest)
        self._entries[key] = entry

    def _drop(self, key: Hashable) -> None:
        self._held -= self._entries.pop(key).size

    def size(self) -> tuple[int, int]:
        """How many values it holds, and their bytes."""
        with self._changed:
            return len(self._entries), self._held

    def clear(self) -> None:
        """Drop all values."""
        with self._changed:
            self._entries.clear()
            self._held = 0


VALUE_BYTES = 256_000_000

MODELS = Memo(1_500_000_000)
JOBS = Memo(128_000_000)
VALUES = Memo(VALUE_BYTES, idle_bytes=96_000_000, most_of_one=192_000_000)

cached = VALUES.get_in_worker


def key_of(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Hashable:
    """A function and its arguments as plain values."""
    return function, *map(_plain, args), *[(name, _plain(value)) for name, value in sorted(kwargs.items())]


def key_of_run(run: Trace | Generation) -> tuple[Hashable, ...]:
    """What identifies a run: model, texts and tokens, silenced heads, changed links, and how many layers it has.

    The tokens of an encoder-decoder determine the task.
    """
    if isinstance(run, Generation):
        return key_of_run(run.source), key_of_run(run.target)
    tokens = run.tokens
    return run.model_name, tokens.sentences, tokens.ids, tokens.first, run.silenced_heads, run.links, run.num_layers


def _plain(value: Any) -> Hashable:
    return key_of_run(value) if isinstance(value, (Trace, Generation)) else value


def size_of(value: object) -> int:
    """Bytes of a value: of its arrays, tensors, texts and containers, each counted once.

    An object of another kind counts as its `nbytes`, if it has them; what else it refers to does not count.
    """
    seen: set[int] = set()
    total, remaining = 0, [value]
    while remaining:
        each: Any = remaining.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, np.ndarray):
            if isinstance(each.base, np.ndarray):
                remaining.append(each.base)  # which a view keeps alive
            else:  # a broadcast axis takes no memory
                total += each.itemsize * prod(n for n, stride in zip(each.shape, each.strides, strict=True) if stride)
        elif hasattr(each, "nbytes"):
            total += each.nbytes
        else:
            total += sys.getsizeof(each)
            remaining += _parts(each)
    return total


def _parts(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    if isinstance(value, (tuple, list, set, frozenset)):
        return [*value]
    if is_dataclass(value):
        return [getattr(value, field.name) for field in fields(value)]
    return []
