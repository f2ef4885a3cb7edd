"""Work on a model in its own thread, which can be watched, cancelled and restarted.

A job ends when no session waits for it. Few run at once (`viz.computing.turns`), and each waits for the worker's short
work before each run of the model.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar
from weakref import WeakSet

from encoder import Backend
from encoder.errors import HeadlightError
from encoder.models.threads import before_each_run
from viz.computing.threads import start_thread
from viz.computing.turns import Turns
from viz.computing.watcher import Watcher
from viz.computing.worker import wait_until_idle

Result = TypeVar("Result")
Progress = Callable[[int, int], None]  # of steps: done, total
Work = Callable[[Backend, Progress], Result]

AT_ONCE = 2  # jobs: a short one need not wait for a long one of another user
SECONDS_TO_GIVE_WAY = 2.0  # at most, before each run: a worker that is never idle does not block a job

_turns = Turns(AT_ONCE)


class _CancelledError(Exception):
    """Ends a job from inside."""


class Job(Generic[Result]):
    """Work that takes seconds or minutes. Every method may be called from any thread.

    Attributes:
        nbytes: size of a result in memory, at most.
        done, total: the progress in steps.
        result: None until the work is complete.
        error: why the work does not apply, or None.
        failed: whether an unexpected error occurred; see the log.
    """

    nbytes = 100_000

    def __init__(self, work: Work[Result], *, name: str = "headlight-job") -> None:
        """`work` reports its progress, and ends if that raises; `name` is the thread's."""
        self._work, self._name = work, name
        self._lock = threading.Lock()
        self._cancelled = threading.Event()  # of the last start
        self._worker: threading.Thread | None = None
        self._watchers: WeakSet[Watcher] = WeakSet()
        self._was_watched = False
        self.done, self.total = 0, 0
        self.result: Result | None = None
        self.error: HeadlightError | None = None
        self.failed = False

    @property
    def running(self) -> bool:
        return self._worker is not None and self._worker.is_alive()

    @property
    def watchers(self) -> frozenset[Watcher]:
        """The sessions that wait for it."""
        with self._lock:
            return frozenset(self._watchers)

    @property
    def jobs_ahead(self) -> int:
        """The number of jobs that it waits for; 0 if it has begun or is not started."""
        return _turns.ahead_of(self)

    @property
    def waits_for_a_click(self) -> bool:
        """Whether it ended with an error, and only a click restarts it."""
        return self.failed or self.error is not None

    @property
    def cancelled(self) -> bool:
        """Whether it was cancelled, and not started since."""
        return self._cancelled.is_set()

    def start(self, backend: Backend, *, delay: float = 0.0) -> None:
        """Begin after `delay` seconds, unless it runs or is complete.

        A job that was cancelled but has not ended restarts when it has.
        """
        with self._lock:
            if self.result is not None or (self.running and not self.cancelled):
                return
            before, cancelled = self._worker, threading.Event()
            self._cancelled = cancelled
            self.error, self.failed = None, False
            run = partial(self._run, backend, delay, before, cancelled)
            self._worker = start_thread(run, stop=cancelled.set, name=self._name)

    def cancel(self) -> None:
        """End it at its next report of progress, or at once if it has not begun."""
        self._cancelled.set()

    def watch(self, who: Watcher) -> None:
        """Register a session that waits for the result."""
        with self._lock:
            self._watchers.add(who)
            self._was_watched = True

    def leave(self, who: Watcher) -> None:
        """Deregister a session. After the last one the work ends, and restarts by itself when a session needs it."""
        with self._lock:
            self._watchers.discard(who)
            self._cancel_if_abandoned()

    def wait(self, seconds: float) -> None:
        """Wait for the end of the work, at most so many seconds."""
        if self._worker is not None:
            self._worker.join(seconds)

    def _run(self, backend: Backend, delay: float, before: threading.Thread | None, cancelled: threading.Event) -> None:
        if before is not None:
            before.join()
        if cancelled.wait(delay) or self.result is not None:
            return
        self.done, self.error, self.failed = 0, None, False
        try:
            with (
                _turns.turn(self, partial(self._end_if_unwanted, cancelled)),
                before_each_run(partial(self._give_way, cancelled)),
            ):
                self.result = self._work(backend, partial(self._report_progress, cancelled))
        except _CancelledError:
            return
        except HeadlightError as error:
            self.error = error
        except Exception:
            self.failed = True
            raise

    def _report_progress(self, cancelled: threading.Event, done: int, total: int) -> None:
        self.done, self.total = done, total
        self._end_if_unwanted(cancelled)

    def _give_way(self, cancelled: threading.Event) -> None:
        wait_until_idle(SECONDS_TO_GIVE_WAY)
        self._end_if_unwanted(cancelled)

    def _end_if_unwanted(self, cancelled: threading.Event) -> None:
        with self._lock:
            if not cancelled.is_set():
                self._cancel_if_abandoned()
        if cancelled.is_set():
            raise _CancelledError

    def _cancel_if_abandoned(self) -> None:
        """Cancel the job if its last session has left; the caller holds its lock."""
        is_abandoned = self._was_watched and not any(watcher.waits for watcher in self._watchers)
        if is_abandoned and self.running:
            self.cancel()
