"""How long work reports how far it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], object]
"""Called with the steps done and in total. An exception that it raises ends the work."""


def no_progress(done: int, total: int) -> None:
    """Ignore the progress."""
