"""Threads that are over before the interpreter ends.

A thread that is inside torch when the interpreter ends is killed between two lines of C++, and the process dies with
"terminate called without an active exception". Python waits for a thread that is no daemon, but before anybody could
tell it to stop, and a sweep takes minutes. So the threads here are daemons, which are told to stop and then waited for
as soon as Python exits.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable

_RUNNING: dict[threading.Thread, Callable[[], object]] = {}


def start_thread(work: Callable[[], object], *, stop: Callable[[], object], name: str) -> threading.Thread:
    """Begin work in a thread of its own.

    Args:
        stop: called when Python exits, after which the work has to end soon.
    """
    end_threads_first()

    def run() -> None:
        try:
            work()
        finally:
            del _RUNNING[thread]

    thread = threading.Thread(target=run, name=name, daemon=True)
    _RUNNING[thread] = stop
    thread.start()
    return thread


def end_threads_first() -> None:
    """When Python exits, end the threads before what was imported until now takes itself apart, as torch does."""
    atexit.unregister(_end_all)
    atexit.register(_end_all)


def _end_all() -> None:
    running = list(_RUNNING.items())
    for _, stop in running:
        stop()
    for thread, _ in running:
        thread.join()
