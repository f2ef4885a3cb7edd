"""Coroutines in tests."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Result = TypeVar("Result")


def in_a_thread(work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """Run in a thread of its own: in this one, the loop of Playwright's browser may be running."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(lambda: asyncio.run(work())).result()
