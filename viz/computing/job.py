"""Work on a model in its own thread, which can be watched, cancelled and restarted.

A job ends when no session waits for it. Few run at once, because more would only share the same cores, and each waits
for the worker's short work before each run of the model.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast
from weakref import WeakSet

from encoder import Backend
from encoder.errors import HeadlightError
from encoder.models.threads import before_each_run
from encoder.progress import Progress
from viz.computing import events
from viz.computing.threads import start_thread
from viz.computing.watcher import Watcher
from viz.computing.worker import wait_until_idle

Result = TypeVar("Result")
Work = Callable[[Backend, Progress], Result | None]
P = ParamSpec("P")

CHECK_INTERVAL = 0.5  # seconds between two checks whether a waiting job is still needed
AT_ONCE = 2  # jobs: a short one need not wait for a long one of another user
SECONDS_TO_GIVE_WAY = 2.0  # at most, before each run: a worker that is never idle does not block a job


class Turns:
    """A queue: at most `at_once` jobs run, and one of each session. The others wait in order of arrival.

    A session is a tab: visitors may share an address or a browser, so only the tab identifies one. A job of several
    sessions begins for one that has none running, whatever the others have.

    Every method may be called from any thread. The caller must not hold the lock of a job.
    """

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._changed = threading.Condition()
        self._waiting: list[Job[Any]] = []
        self._running: list[Job[Any]] = []

    @contextmanager
    def turn(self, job: Job[Any], end_if_unwanted: Callable[[], object]) -> Iterator[None]:
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

    def ahead_of(self, job: Job[Any]) -> int:
        """The number of jobs that run or wait before a waiting job; 0 for any other."""
        with self._changed:
            return len(self._running) + self._waiting.index(job) if job in self._waiting else 0

    def waiting_and_running(self) -> tuple[int, int]:
        """How many jobs wait, and how many run."""
        with self._changed:
            return len(self._waiting), len(self._running)

    def _next(self) -> Job[Any] | None:
        if len(self._running) >= self._at_once:
            return None
        served = {watcher for job in self._running for watcher in job.watchers}
        return next((job for job in self._waiting if not job.watchers or job.watchers - served), None)


_turns = Turns(AT_ONCE)
waiting_and_running = _turns.waiting_and_running


def work_of(
    function: Callable[Concatenate[Backend, P], Result | None], *args: P.args, **kwargs: P.kwargs
) -> Work[Result]:
    """The work of a job that calls a function of a model, which reports to its keyword `progress`."""
    long = cast("Callable[..., Result | None]", function)
    return lambda backend, progress: long(backend, *args, progress=progress, **kwargs)


class _CancelledError(Exception):
    """Ends a job from inside."""


class Job(Generic[Result]):
    """Work that takes seconds or minutes. Every method may be called from any thread.

    Attributes:
        nbytes: size of a result in memory, at most.
        done, total: the progress in steps.
        seconds_left: about how long the rest takes, at the rate since the last start; None before that is known.
        result: None until the work is complete.
        error: why the work does not apply, or None.
        failed: whether an unexpected error occurred; see the log.
    """

    def __init__(self, work: Work[Result], *, nbytes: int = 100_000) -> None:
        """`work` reports its progress, and ends if that raises; None where another start has to go on."""
        self._work, self.nbytes = work, nbytes
        self._lock = threading.Lock()
        self._cancelled = threading.Event()  # of the last start
        self._worker: threading.Thread | None = None
        self._watchers: WeakSet[Watcher] = WeakSet()
        self._was_watched = False
        self.done, self.total = 0, 0
        self._begun: tuple[float, int] | None = None  # when the last start reported first, and what was done then
        self.seconds_left: float | None = None
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
            self._worker = start_thread(run, stop=cancelled.set, name="headlight-job")

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

    def wait(self, seconds: float | None = None) -> None:
        """Wait for the end of the work, if it was started, at most so many seconds."""
        if self._worker is not None:
            self._worker.join(seconds)

    def _run(self, backend: Backend, delay: float, before: threading.Thread | None, cancelled: threading.Event) -> None:
        if before is not None:
            before.join()
        if cancelled.wait(delay) or self.result is not None:
            return
        self.done, self.error, self.failed = 0, None, False
        self._begun = self.seconds_left = None
        work = events.timed("jobs", partial(self._work, backend, partial(self._report_progress, cancelled)))
        try:
            with (
                events.reported("job", stopped_by=_CancelledError),
                _turns.turn(self, partial(self._end_if_unwanted, cancelled)),
                before_each_run(partial(self._give_way, cancelled)),
            ):
                self.result = work()
        except _CancelledError:
            return
        except HeadlightError as error:
            self.error = error
        except Exception:
            self.failed = True
            raise

    def _report_progress(self, cancelled: threading.Event, done: int, total: int) -> None:
        self.done, self.total = done, total
        now, (begun, before) = time.monotonic(), self._begun or (time.monotonic(), done)
        self._begun = begun, before
        if done > before:
            self.seconds_left = (now - begun) * (total - done) / (done - before)
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
