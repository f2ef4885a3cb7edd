"""One long-lived thread for all computations that `viz.caches` caches.

Streamlit runs every rerun in a new thread, whose thread pools and memory are cold: at 512 tokens a forward pass takes
an eighth longer there, and deriving a layer's weights several times as long. One thread for all sessions also prevents
two computations from sharing the same cores. Only jobs that may take minutes and can be cancelled, such as a sweep over
all heads, have their own threads (`viz.computing.job`).

Streamlit ends a superseded script run the next time that the script calls Streamlit. A script that waits here calls
nothing, so it checks regularly until its work begins. Work that has begun is finished, because the next run may need
the same; work of about a second checks between its parts as well. A closed tab ends its run in the same way.
`dropped_when` does the same for requests.

Work of about a second is what a page shows after its first picture, so it begins when no other work waits: nobody's
first picture waits for the details of others.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from viz.computing import events
from viz.streamlit_internals import run_check

Result = TypeVar("Result")

CHECK_INTERVAL = 0.1  # seconds; each check of a waiting thread takes the GIL from the worker


_thread = threading.local()


def is_worker() -> bool:
    """Whether this is the worker's thread."""
    return getattr(_thread, "is_worker", False)


def _begin() -> None:
    _thread.is_worker = True
    _limit_numpy_to_one_thread()


def _limit_numpy_to_one_thread() -> None:
    """Limit numpy permanently: from 128 tokens on, its BLAS would split small products among spinning threads.

    On two busy cores the weights of a layer of 128 tokens then take 400 ms in place of 0.6, and 175 ms of a core.
    """
    from threadpoolctl import ThreadpoolController  # imported lazily, so that the server answers first

    ThreadpoolController().limit(limits=1, user_api="blas")


_WORKER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="headlight", initializer=_begin)


_Waiting = deque[tuple[Future[Any], Callable[[], Any]]]

_short: _Waiting = deque()
_by_parts: _Waiting = deque()
_unfinished: set[Future[Any]] = set()
_idle = threading.Event()
_idle.set()
_changing = threading.Lock()


def wait_until_idle(seconds: float) -> None:
    """Wait until the worker is idle, at most so many seconds."""
    _idle.wait(seconds)


def waiting_and_running() -> tuple[int, int]:
    """How much work waits, and how much is being done."""
    with _changing:
        running = sum(future.running() for future in _unfinished)
        return len(_unfinished) - running, running


def _submit(work: Callable[[], Result], waiting: _Waiting = _short) -> Future[Result]:
    future: Future[Result] = Future()
    with _changing:
        _unfinished.add(future)
        _idle.clear()
    future.add_done_callback(_note_done)
    waiting.append((future, events.timed("worker", work)))
    _WORKER.submit(_do_next)
    return future


def _do_next() -> None:
    """Do the work that waits longest, short work first, unless it was cancelled."""
    future, work = (_short or _by_parts).popleft()
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as error:
        future.set_exception(error)
        raise  # into the executor's own future, which nobody reads
    else:
        future.set_result(result)


def _note_done(future: Future[Any]) -> None:
    with _changing:
        _unfinished.discard(future)
        if not _unfinished:
            _idle.set()


class DroppedError(Exception):
    """Ends work whose result is no longer needed."""


_is_dropped: ContextVar[Callable[[], bool] | None] = ContextVar("headlight_is_dropped", default=None)


@contextmanager
def dropped_when(is_dropped: Callable[[], bool]) -> Iterator[None]:
    """In the block, `in_worker` raises DroppedError if `is_dropped` returns true before the work begins.

    For threads that run no script.
    """
    token = _is_dropped.set(is_dropped)
    try:
        yield
    finally:
        _is_dropped.reset(token)


_is_in_calling_thread: ContextVar[bool] = ContextVar("headlight_in_calling_thread", default=False)


@contextmanager
def in_calling_thread() -> Iterator[None]:
    """In the block, `in_worker` does the work in the calling thread: for short work that cannot wait."""
    token = _is_in_calling_thread.set(True)
    try:
        yield
    finally:
        _is_in_calling_thread.reset(token)


def in_worker(work: Callable[[], Result]) -> Result:
    """The result of `work`, run in the worker's thread; it must not use Streamlit.

    If the caller is superseded before the work begins, the work is dropped, and this raises Streamlit's exception that
    ends a script, or DroppedError. In the worker's thread itself the work is done at once.
    """
    if is_worker() or _is_in_calling_thread.get():
        return work()
    future = _submit(work)
    return _result_of(future, lambda: future.running() or future.done())


def in_worker_by_parts(work: Callable[[Callable[[], None]], Result]) -> Result:
    """As `in_worker`, for work of about a second: `work` calls its argument between its parts, which may end it."""
    superseded = threading.Event()

    def end_if_superseded() -> None:
        if superseded.is_set():
            raise DroppedError

    future = _submit(lambda: work(end_if_superseded), _by_parts)
    try:
        return _result_of(future, future.done)
    except BaseException:
        superseded.set()
        raise


def _result_of(future: Future[Result], is_due: Callable[[], bool]) -> Result:
    """The result of a future; until it is due, checks whether the caller was superseded."""
    end_if_superseded = _end_if_dropped if _is_dropped.get() else run_check()
    try:
        while end_if_superseded and not is_due():
            end_if_superseded()
            wait((future,), CHECK_INTERVAL)
    except BaseException:  # Streamlit's exception that ends scripts is no Exception
        future.cancel()
        raise
    return future.result()


def _end_if_dropped() -> None:
    is_dropped = _is_dropped.get()
    if is_dropped is not None and is_dropped():
        raise DroppedError
