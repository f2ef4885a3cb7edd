"""Threads that end before the interpreter does.

A thread that is inside torch when the interpreter exits is killed in C++ code, and the process dies with "terminate
called without an active exception". Python waits for non-daemon threads before any exit handler could stop them, and a
sweep takes minutes. The threads here are therefore daemons, which an exit handler stops and joins.
"""

from __future__ import annotations

import atexit
import logging
import threading
from collections.abc import Callable

from viz.computing import events

logger = logging.getLogger(__name__)

_RUNNING: dict[threading.Thread, Callable[[], object]] = {}


def start_thread(work: Callable[[], object], *, stop: Callable[[], object], name: str) -> threading.Thread:
    """Begin work in a new thread. An error that ends it is logged.

    Args:
        name: says in the log what the thread was doing.
        stop: called when Python exits, after which the work has to end soon.
    """
    end_threads_first()

    def run() -> None:
        try:
            work()
        except Exception:
            logger.exception("%s: unexpected error", name)
            events.report("error", where=name)
        finally:
            del _RUNNING[thread]

    thread = threading.Thread(target=run, name=name, daemon=True)
    _RUNNING[thread] = stop
    thread.start()
    return thread


def end_threads_first() -> None:
    """Make the exit handler run before those of all modules imported so far, such as torch's."""
    atexit.unregister(_end_all)
    atexit.register(_end_all)


def stop_all() -> list[threading.Thread]:
    """Let all of them end soon. Returns those that run."""
    running = list(_RUNNING.items())
    for _, stop in running:
        stop()
    return [thread for thread, _ in running]


def _end_all() -> None:
    for thread in stop_all():
        thread.join()
