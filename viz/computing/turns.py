"""A queue of jobs: few run at once, because more would only share the same cores."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

CHECK_INTERVAL = 0.5  # seconds between two checks whether a waiting job is still needed


class Watched(Protocol):
    """A job, and the sessions that wait for it."""

    @property
    def watchers(self) -> frozenset[object]: ...


class Turns:
    """A queue: at most `at_once` jobs run, and one of each session. The others wait in order of arrival.

    A session is a tab: nothing else tells visitors apart, who may share an address or a browser. A job of several
    sessions begins for one that has none running, whatever the others have.

    Every method may be called from any thread. The caller must not hold the lock of a job.
    """

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._changed = threading.Condition()
        self._waiting: list[Watched] = []
        self._running: list[Watched] = []

    @contextmanager
    def turn(self, job: Watched, end_if_unwanted: Callable[[], object]) -> Iterator[None]:
        """Wait for a job's turn, which ends with the block. An exception of `end_if_unwanted` ends the wait."""
        with self._changed:
            self._waiting.append(job)
            try:
                while job is not self._next():
                    self._changed.wait(CHECK_INTERVAL)
                    end_if_unwanted()
                self._running.append(job)
            finally:
                self._waiting.remove(job)
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._running.remove(job)
                self._changed.notify_all()

    def ahead_of(self, job: Watched) -> int:
        """The number of jobs that run or wait before a waiting job; 0 for any other."""
        with self._changed:
            return len(self._running) + self._waiting.index(job) if job in self._waiting else 0

    def _next(self) -> Watched | None:
        if len(self._running) >= self._at_once:
            return None
        served = {watcher for job in self._running for watcher in job.watchers}
        return next((job for job in self._waiting if not job.watchers or job.watchers - served), None)
