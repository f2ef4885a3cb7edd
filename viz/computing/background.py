"""What takes seconds to load, loaded in a thread of its own while people look at the first picture."""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from encoder.errors import HeadlightError
from viz.computing.threads import end_threads_first, start_thread

logger = logging.getLogger(__name__)

Step = tuple[str, Callable[[], object]]  # what people are told, and the work


class Background:
    """Steps of work, done once and in order. Every method may be called from any thread.

    Attributes:
        step: what the step that is being done is called, or the last one's name.
    """

    def __init__(
        self, steps: Sequence[Step], *, afterwards: Callable[[], object] | None = None, delay: float = 0
    ) -> None:
        """`afterwards` is done some time later, when those who waited have been answered."""
        self._steps, self._afterwards, self._delay = tuple(steps), afterwards, delay
        self._lock = threading.Lock()
        self._started = False
        self._done = threading.Event()
        self._ending = threading.Event()  # the interpreter ends: the step that is being done is the last
        self.step = self._steps[0][0]

    @property
    def done(self) -> bool:
        """Whether the steps are over. One that failed ends them: who asks for what it loads is told why."""
        return self._done.is_set()

    def start(self) -> None:
        """Begin, unless that was done before."""
        with self._lock:
            if self._started:
                return
            self._started = True
        start_thread(self._work, stop=self._ending.set, name="headlight-background")

    def wait(self, seconds: float) -> bool:
        """Until the steps are over, or so many seconds have passed. Returns `done`."""
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
                        end_threads_first()  # before what it imported
        except HeadlightError as error:
            logger.warning("could not load %s beforehand: %s", self.step, error)
        finally:
            self._done.set()
        if self._afterwards and not self._ending.wait(self._delay):
            self._afterwards()


@contextmanager
def _paused_collector() -> Iterator[None]:
    """No garbage collection: imports make hundreds of thousands of objects that stay, and it would count them anew."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
