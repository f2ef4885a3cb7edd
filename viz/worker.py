"""One long-lived thread for all numeric work that `viz.cache` keeps.

Streamlit runs every rerun in a thread of its own. A new thread has neither its workers nor its memory warm: at 512
tokens a forward pass takes an eighth longer in one, and deriving a layer's weights several times as long. One thread
for all sessions also keeps two computations from sharing the same cores. Only a sweep over all heads, which may take
minutes and can be cancelled, has a thread of its own (`viz.sweep`).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from typing import TypeVar

Result = TypeVar("Result")

_WORKER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="headlight")


def in_worker(work: Callable[[], Result]) -> Result:
    """What `work` returns or raises, run in the one thread; it must not use Streamlit, nor call `in_worker` itself."""
    return _WORKER.submit(work).result()


@cache
def warm_up() -> None:
    """Import what only some views need, once, while people look at the first one."""
    _WORKER.submit(import_module, "sklearn.decomposition")
