"""The worker: which work begins, and which is dropped because its run was superseded."""

import threading
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from viz.computing import worker
from viz.computing.worker import DroppedError, dropped_when, in_worker, in_worker_by_parts, wait_until_idle


class SupersededError(BaseException):
    """Stands for the exception with which Streamlit ends a script."""


@pytest.fixture
def busy() -> Iterator[threading.Event]:
    """The worker does something else until this is set."""
    begun, end = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        end.wait()

    worker._WORKER.submit(work)
    begun.wait()
    yield end
    end.set()
    in_worker(lambda: None)


def ask_of_streamlit(monkeypatch: pytest.MonkeyPatch, superseded: threading.Event) -> threading.Event:
    """Let runs be over once that is set; returns what is set when a script asks."""
    asked = threading.Event()

    def end_if_superseded() -> None:
        asked.set()
        if superseded.is_set():
            raise SupersededError

    monkeypatch.setattr(worker, "run_check", lambda: end_if_superseded)
    return asked


def test_a_superseded_run_is_dropped_before_its_work_begins(
    monkeypatch: pytest.MonkeyPatch, busy: threading.Event
) -> None:
    superseded, done = threading.Event(), []
    asked = ask_of_streamlit(monkeypatch, superseded)
    raised = []

    def script() -> None:
        try:
            in_worker(lambda: done.append("old"))
        except SupersededError as error:
            raised.append(error)

    waiting = threading.Thread(target=script)
    waiting.start()
    assert asked.wait(30)
    superseded.set()
    waiting.join(30)
    assert len(raised) == 1  # while the worker is still busy
    busy.set()
    superseded.clear()
    in_worker(lambda: done.append("new"))
    assert done == ["new"]


def test_work_that_has_begun_is_finished_and_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    superseded = threading.Event()
    ask_of_streamlit(monkeypatch, superseded)

    def work() -> str:
        superseded.set()
        return "kept"

    assert in_worker(work) == "kept"


def test_work_by_parts_ends_between_two_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    superseded, seen = threading.Event(), threading.Event()
    ask_of_streamlit(monkeypatch, superseded)
    done = []

    def work(end_if_superseded: Callable[[], None]) -> str:
        done.append("first")
        superseded.set()
        assert seen.wait(30)
        end_if_superseded()
        done.append("second")
        return "kept"

    with pytest.raises(SupersededError):
        in_worker_by_parts(work)
    superseded.clear()
    seen.set()
    assert in_worker_by_parts(lambda end_if_superseded: end_if_superseded() or "next") == "next"
    assert done == ["first"]


def test_short_work_begins_before_work_by_parts_that_waits_longer(busy: threading.Event) -> None:
    done: list[str] = []
    by_parts = worker._submit(lambda: done.append("by parts"), worker._by_parts)
    short = [worker._submit(partial(done.append, name)) for name in ("short", "shorter")]
    busy.set()
    for future in (by_parts, *short):
        future.result(30)
    assert done == ["short", "shorter", "by parts"]


def test_threads_without_a_script_are_not_checked(busy: threading.Event) -> None:
    results: list[str] = []
    waiting = threading.Thread(target=lambda: results.append(in_worker(lambda: "done")))
    waiting.start()
    busy.set()
    waiting.join(30)
    assert results == ["done"]


def test_work_that_is_dropped_before_it_begins_is_not_done(busy: threading.Event) -> None:
    done: list[str] = []
    with dropped_when(lambda: True), pytest.raises(DroppedError):  # while the worker is still busy
        in_worker(lambda: done.append("dropped"))
    busy.set()
    with dropped_when(lambda: False):
        in_worker(lambda: done.append("wanted"))
    assert done == ["wanted"]


def test_the_worker_is_idle_when_all_work_is_done_or_dropped() -> None:
    may_end = threading.Event()
    first = worker._submit(may_end.wait)
    second = worker._submit(lambda: None)
    assert not worker._idle.is_set()
    assert second.cancel()
    assert not worker._idle.is_set()
    may_end.set()
    assert first.result(30)
    wait_until_idle(30)
    assert worker._idle.is_set()


def test_an_error_of_the_work_reaches_the_script() -> None:
    with pytest.raises(ZeroDivisionError):
        in_worker(lambda: 1 / 0)


def test_numpy_multiplies_on_one_thread_in_the_worker() -> None:
    def threads_of_numpy() -> set[int]:
        np.ones((2, 128, 32)) @ np.ones((2, 32, 128))
        return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

    assert in_worker(threads_of_numpy) <= {1}


def test_the_worker_does_at_once_what_its_own_work_asks_for() -> None:
    def work() -> tuple[int, int]:
        return threading.get_ident(), in_worker(threading.get_ident)

    outer, inner = in_worker(work)
    assert outer == inner != threading.get_ident()
