"""Runs that are being computed, for those who cannot wait: a picture of a layer needs the layers until there alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context

from encoder import Trace

MOST_WAITING = 32  # threads; whoever asks beyond them waits for one of these to be free


class RunsUnderWay:
    """Who waits for which layer of which run. Any thread may ask and tell."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[Hashable, list[tuple[int, Future[Trace]]]] = {}
        self._computing = ThreadPoolExecutor(MOST_WAITING, thread_name_prefix="headlight-under-way")

    def until(self, run: Hashable, layer: int, compute: Callable[[], Trace]) -> Trace:
        """The trace of a run, or of its layers as far as they are known when it has reached one of them.

        Args:
            run: what `reached` will call it.
            compute: gives the whole trace. It goes on when this has returned, in a thread of its own.
        Raises:
            Exception: whatever `compute` raises before the layer is reached.
        """
        reached: Future[Trace] = Future()
        waiting = layer, reached
        with self._lock:
            self._waiting.setdefault(run, []).append(waiting)
        try:
            whole = self._computing.submit(copy_context().run, compute)  # with what drops it
            wait((reached, whole), return_when=FIRST_COMPLETED)
            return whole.result() if whole.done() else reached.result()
        finally:
            with self._lock:
                self._waiting[run].remove(waiting)
                if not self._waiting[run]:
                    del self._waiting[run]

    def reached(self, run: Hashable, layer: int, so_far: Callable[[], Trace]) -> None:
        """Tell those who wait for a layer of a run, or for an earlier one, that it is known."""
        with self._lock:
            due = [future for wanted, future in self._waiting.get(run, ()) if wanted <= layer and not future.done()]
        if due:
            trace = so_far()
            for future in due:
                future.set_result(trace)
