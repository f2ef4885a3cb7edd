"""Keeps what was used last, as much of it as fits: many small values, few large ones.

Streamlit's caches count values. A run of a short text takes a hundredth of the memory of a long one: a number of
entries that is safe for long texts makes fifty people with short ones push each other's runs out.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, NamedTuple, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")


class _Entry(NamedTuple, Generic[Value]):
    value: Value
    size: int


class Recent(Generic[Arguments, Value]):
    """A function whose last values are kept. It may be called from any thread; one value is worked out once at a time.

    What it raises is not kept.
    """

    def __init__(
        self,
        function: Callable[Arguments, Value],
        *,
        key_of: Callable[..., Hashable],
        size_of: Callable[[Value], int],
        entries: int,
        num_bytes: int,
    ) -> None:
        """Keep at most so many entries, of at most so many bytes together; the last one in any case."""
        self._function, self._key_of, self._size_of = function, key_of, size_of
        self._entries, self._num_bytes = entries, num_bytes
        self._kept: OrderedDict[Hashable, _Entry[Value]] = OrderedDict()  # the one used last at the end
        self._size = 0
        self._lock = threading.Lock()
        self._working: dict[Hashable, threading.Lock] = {}

    def __call__(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Value:
        key = self._key_of(*args, **kwargs)
        found = self._find(key)
        if found is None:
            with self._lock:
                work = self._working.setdefault(key, threading.Lock())
            with work:
                found = self._find(key)  # another thread may have made it meanwhile
                if found is None:
                    try:
                        value = self._function(*args, **kwargs)
                        found = self._keep(key, _Entry(value, self._size_of(value)))
                    finally:
                        self._working.pop(key, None)
        return found.value

    def clear(self) -> None:
        """Forget all values."""
        with self._lock:
            self._kept.clear()
            self._size = 0

    def _find(self, key: Hashable) -> _Entry[Value] | None:
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
        return found

    def _keep(self, key: Hashable, entry: _Entry[Value]) -> _Entry[Value]:
        with self._lock:
            self._kept[key] = entry
            self._size += entry.size
            while len(self._kept) > 1 and (len(self._kept) > self._entries or self._size > self._num_bytes):
                self._size -= self._kept.popitem(last=False)[1].size
        return entry


def keep_recent(
    *,
    key_of: Callable[..., Hashable],
    size_of: Callable[[Value], int],
    entries: int,
    num_bytes: int,
) -> Callable[[Callable[Arguments, Value]], Recent[Arguments, Value]]:
    """Decorates a function, as `Recent` says.

    Args:
        key_of: what the value follows from, of the function's own arguments.
        size_of: bytes of a value.
    """

    def decorate(function: Callable[Arguments, Value]) -> Recent[Arguments, Value]:
        return Recent(function, key_of=key_of, size_of=size_of, entries=entries, num_bytes=num_bytes)

    return decorate
