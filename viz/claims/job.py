"""Checks the claims of a stop in a thread of its own, so that rendering does not wait."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from weakref import WeakSet

from encoder.errors import HeadlightError
from encoder.runs.generation import Generation
from viz.claims.of_tables import TableSubject
from viz.claims.outcome import Outcome, work_out
from viz.claims.subject import Subject
from viz.computing.threads import start_thread
from viz.computing.watcher import Watcher
from viz.tours.tour import Claim

_ONE_AT_A_TIME = threading.Lock()  # parallel jobs would compete for the same cores


class ClaimsJob:
    """The claims of one stop on one model. Every method may be called from any thread.

    Attributes:
        claims: in their order.
        outcomes: those that are finished.
        failed: whether an unexpected error ended the work; the log has it.
    """

    nbytes = 100_000  # estimated size of the outcomes

    def __init__(self, claims: Sequence[Claim], subject: Callable[[], Subject | Generation | TableSubject]) -> None:
        """`subject` makes the runs; it is called in the thread."""
        self.claims = tuple(claims)
        self.outcomes: tuple[Outcome, ...] = ()
        self.failed = False
        self._subject = subject
        self._lock = threading.Lock()
        self._ending = threading.Event()  # the interpreter exits
        self._watchers: WeakSet[Watcher] = WeakSet()
        self._worker: threading.Thread | None = None

    @property
    def running(self) -> bool:
        return self._worker is not None and self._worker.is_alive()

    @property
    def done(self) -> bool:
        """Whether all claims are checked."""
        return len(self.outcomes) == len(self.claims)

    def start(self, who: Watcher, *, delay: float = 0.0) -> None:
        """Start the check for a session after a delay in seconds, unless it runs, is done or has failed."""
        with self._lock:
            self._watchers.add(who)
            if self.running or self.done or self.failed:
                return
            self._worker = start_thread(lambda: self._work(delay), stop=self._ending.set, name="headlight-claims")

    def leave(self, who: Watcher) -> None:
        """Unsubscribe a session. When the last one leaves, the work stops after the current claim."""
        with self._lock:
            self._watchers.discard(who)

    def wait(self, seconds: float) -> None:
        """Block until the work ends or the timeout in seconds expires."""
        if self._worker is not None:
            self._worker.join(seconds)

    def _work(self, delay: float) -> None:
        if self._ending.wait(delay):
            return
        try:
            with _ONE_AT_A_TIME:
                self._work_out()
        except Exception:
            self.failed = True
            raise

    def _work_out(self) -> None:
        if not self._is_wanted():
            return
        try:
            subject = self._subject()
        except HeadlightError as error:
            self.outcomes = tuple(Outcome(claim=claim, holds=None, why=str(error)) for claim in self.claims)
            return
        for claim in self.claims[len(self.outcomes) :]:
            if not self._is_wanted():
                return
            self.outcomes = (*self.outcomes, work_out(claim, subject))

    def _is_wanted(self) -> bool:
        with self._lock:
            return not self._ending.is_set() and any(watcher.waits for watcher in self._watchers)
