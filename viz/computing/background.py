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

Step = tuple[str, Callable[[], object]]  # its name for the user, and the work


class Background:
    """Steps of work, done once and in order. Every method may be called from any thread.

    Attributes:
        step: the name of the current step, or of the last one.
    """

    def __init__(
        self, steps: Sequence[Step], *, afterwards: Callable[[], object] | None = None, delay: float = 0
    ) -> None:
        """`afterwards` is called `delay` seconds after the steps, when waiting requests have been answered."""
        self._steps, self._afterwards, self._delay = tuple(steps), afterwards, delay
        self._lock = threading.Lock()
        self._started = False
        self._done = threading.Event()
        self._ending = threading.Event()  # the interpreter exits: the current step is the last
        self.step = self._steps[0][0]

    @property
    def done(self) -> bool:
        """Whether the steps are over. A failed step ends them; the caller that needs its result gets the error."""
        return self._done.is_set()

    def start(self) -> None:
        """Begin, unless it has begun."""
        with self._lock:
            if self._started:
                return
            self._started = True
        start_thread(self._work, stop=self._ending.set, name="headlight-background")

    def wait(self, seconds: float) -> bool:
        """Wait for the end of the steps, at most so many seconds. Returns `done`."""
        return self._done.wait(seconds)

    def _work(self) -> None:
        try:
            with _paused_collector():
                for step, work in self._steps:
                    if self._ending.is_set():
                        return
                    self.step = step
                    try:
                        work()
                    finally:
                        end_threads_first()  # before the modules that the step imported
        except HeadlightError as error:
            logger.warning("could not load %s beforehand: %s", self.step, error)
        finally:
            self._done.set()
        if self._afterwards and not self._ending.wait(self._delay):
            self._afterwards()


@contextmanager
def _paused_collector() -> Iterator[None]:
    """Pause garbage collection: imports create hundreds of thousands of permanent objects, which it would visit."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
