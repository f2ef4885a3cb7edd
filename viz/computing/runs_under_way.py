"""Runs in progress: a view of a layer needs the trace up to this layer only."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context

from encoder import Trace

MOST_WAITING = 32  # threads; further callers wait for a free one


class RunsUnderWay:
    """Callers that wait for a layer of a run. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[Hashable, list[tuple[int, Future[Trace]]]] = {}
        self._computing = ThreadPoolExecutor(MOST_WAITING, thread_name_prefix="headlight-under-way")

    def until(self, run: Hashable, layer: int, compute: Callable[[], Trace]) -> Trace:
        """The trace of a run, or its trace up to a layer as soon as the run has computed it.

        Args:
            run: the key that `reached` gets.
            compute: returns the whole trace. It continues in its own thread after this method has returned.
        Raises:
            Exception: whatever `compute` raises before the layer is reached.
        """
        reached: Future[Trace] = Future()
        waiting = layer, reached
        with self._lock:
            self._waiting.setdefault(run, []).append(waiting)
        try:
            whole = self._computing.submit(copy_context().run, compute)  # with the context variables that drop it
            wait((reached, whole), return_when=FIRST_COMPLETED)
            return whole.result() if whole.done() else reached.result()
        finally:
            with self._lock:
                self._waiting[run].remove(waiting)
                if not self._waiting[run]:
                    del self._waiting[run]

    def reached(self, run: Hashable, layer: int, so_far: Callable[[], Trace]) -> None:
        """Wake the callers that wait for a layer of a run or for an earlier one."""
        with self._lock:
            due = [future for wanted, future in self._waiting.get(run, ()) if wanted <= layer and not future.done()]
        if due:
            trace = so_far()
            for future in due:
                future.set_result(trace)
