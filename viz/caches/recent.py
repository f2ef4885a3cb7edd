"""Keeps what was used last, as much of it as fits: many small values, few large ones.

Streamlit's caches count values. A run of a short text takes a hundredth of the memory of a long one: a number of
entries that is safe for long texts makes fifty people with short ones push each other's runs out.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, ParamSpec, TypeVar

from cachetools import LRUCache, cached

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")


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
        least = num_bytes // entries  # a value counts as so much at least, which bounds their number

        def counted(value: Value) -> int:
            return min(max(size_of(value), least), num_bytes)

        kept: LRUCache[Hashable, Value] = LRUCache(num_bytes, getsizeof=counted)
        self._cached = cached(kept, key=key_of, condition=threading.Condition())(function)

    def __call__(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Value:
        return self._cached(*args, **kwargs)

    def clear(self) -> None:
        """Forget all values."""
        self._cached.cache_clear()


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
