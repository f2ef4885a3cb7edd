"""How long work reports how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")

Progress = Callable[[int, int], object]
"""Called with the steps done and in total. An exception that it raises ends the work."""


def no_progress(done: int, total: int) -> None:
    """Ignore the progress."""


def reported(items: Sequence[Item], progress: Progress) -> Iterator[Item]:
    """The items, each a step."""
    for done, item in enumerate(items):
        progress(done, len(items))
        yield item
    progress(len(items), len(items))
