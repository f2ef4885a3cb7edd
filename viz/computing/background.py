"""Loading in a background thread."""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from encoder.errors import HeadlightError
from viz.computing.threads import end_threads_first, start_thread

logger = logging.getLogger(__name__)

SHUTDOWN = "shutdown"  # in the messages by which threading and concurrent.futures refuse work while Python ends
ATTEMPTS = 2  # at a step, because what made it fail on a busy start may be over

Step = tuple[str, Callable[[], object]]  # its name for the user, and the work


class Background:
    """Steps of work, done once and in order. Every method may be called from any thread.

    A step that fails for good is logged, and the others are done: the caller that needs its result gets the error.

    Attributes:
        step: the name of the current step, or of the last one.
        failed: the names of the steps that failed for good with an unexpected error.
    """

    def __init__(self, steps: Sequence[Step], *, afterwards: Sequence[Step] = (), delay: float = 0) -> None:
        """`afterwards` are done `delay` seconds after the steps, when waiting requests have been answered."""
        self._steps, self._afterwards, self._delay = tuple(steps), tuple(afterwards), delay
        self._lock = threading.Lock()
        self._started = False
        self._done = threading.Event()
        self._ending = threading.Event()  # the interpreter exits: the current step is the last
        self.step = self._steps[0][0]
        self.failed: tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        """Whether the steps are over, without those afterwards."""
        return self._done.is_set()

    def start(self) -> None:
        """Begin, unless it has begun."""
        with self._lock:
            if self._started:
                return
            self._started = True
        start_thread(self._work, stop=self._ending.set, name="headlight-background")

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end of the steps, at most so many seconds. Returns `done`."""
        return self._done.wait(seconds)

    def _work(self) -> None:
        try:
            with _paused_collector():
                self._do(self._steps)
        finally:
            self._done.set()
        if self._afterwards and not self._ending.wait(self._delay):
            self._do(self._afterwards)

    def _do(self, steps: Sequence[Step]) -> None:
        for step, work in steps:
            if self._ending.is_set():
                return
            self.step = step
            if not any(self._succeeds(step, work) for _ in range(ATTEMPTS)):
                self.failed = (*self.failed, step)

    def _succeeds(self, step: str, work: Callable[[], object]) -> bool:
        """Do a step; False after an unexpected error, which is logged."""
        try:
            work()
        except HeadlightError as error:  # another attempt would fail as well
            logger.warning("could not load %s beforehand: %s", step, error)
        except Exception as error:
            if self._ending.is_set() or (isinstance(error, RuntimeError) and SHUTDOWN in str(error)):
                return True  # the server ends while it starts
            logger.exception("could not load %s beforehand", step)
            return False
        finally:
            end_threads_first()  # before the modules that the step imported
        return True


@contextmanager
def _paused_collector() -> Iterator[None]:
    """Pause garbage collection: imports create hundreds of thousands of permanent objects, which it would visit."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
