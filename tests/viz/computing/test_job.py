"""A job that nobody waits for any more ends, and begins again when it is wanted again."""

import gc
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from encoder import Backend
from encoder.models.threads import threads_for
from viz.computing import job as job_module
from viz.computing import watcher as watcher_module
from viz.computing import worker
from viz.computing.job import Job, Progress
from viz.computing.watcher import Watcher

SECONDS = 30
NO_MODEL: Any = None  # the work asks none
ONE = Watcher()


class Steps:
    """Work in steps, each of which waits to be allowed."""

    def __init__(self) -> None:
        self.allowed = threading.Semaphore(0)
        self.job: Job[str] = Job(self._work)

    def _work(self, _: Backend, progress: Progress) -> str:
        for step in range(3):
            progress(step, 3)
            assert self.allowed.acquire(timeout=SECONDS)
        return "done"

    def finish(self) -> None:
        for _ in range(3):
            self.allowed.release()
        self.job.wait(SECONDS)


@pytest.fixture
def steps() -> Iterator[Steps]:
    steps = Steps()
    steps.job.watch(ONE)
    steps.job.start(NO_MODEL)
    yield steps
    steps.finish()


def test_the_last_one_who_leaves_ends_it(steps: Steps) -> None:
    other = Watcher()
    steps.job.watch(other)
    steps.job.leave(ONE)
    assert not steps.job.cancelled
    steps.job.leave(other)
    steps.finish()
    assert steps.job.cancelled
    assert steps.job.result is None


def test_it_begins_again_by_itself(steps: Steps) -> None:
    steps.job.leave(ONE)
    steps.finish()
    steps.job.watch(ONE)
    steps.job.start(NO_MODEL)
    steps.finish()
    assert steps.job.result == "done"


def test_leaving_a_complete_job_changes_nothing(steps: Steps) -> None:
    steps.finish()
    steps.job.leave(ONE)
    assert (steps.job.result, steps.job.cancelled) == ("done", False)


def test_a_session_that_is_gone_keeps_no_job_going(steps: Steps) -> None:
    gone = Watcher()
    steps.job.watch(gone)
    del gone
    gc.collect()
    steps.job.leave(ONE)
    assert steps.job.cancelled


def test_a_click_on_begin_just_after_stop_is_not_lost(steps: Steps) -> None:
    first = steps.job._worker
    steps.job.cancel()
    steps.job.start(NO_MODEL)  # the work has not looked yet whether it was stopped
    assert steps.job.running
    assert not steps.job.cancelled
    steps.allowed.release()
    assert first is not None
    first.join(SECONDS)
    assert steps.job.result is None
    steps.finish()
    assert steps.job.result == "done"


def test_a_job_that_is_stopped_again_before_it_began_again_stays_stopped(steps: Steps) -> None:
    steps.job.cancel()
    steps.job.start(NO_MODEL)
    steps.job.cancel()
    steps.finish()
    assert (steps.job.running, steps.job.result) == (False, None)


class Browser:
    """What a session knows of its browser."""

    def __init__(self) -> None:
        self.is_connected = True
        self.watcher = Watcher(lambda: self.is_connected)


@pytest.fixture
def browser(steps: Steps) -> Browser:
    """The only one that waits."""
    browser = Browser()
    steps.job.watch(browser.watcher)
    steps.job.leave(ONE)
    return browser


def test_a_job_ends_when_its_last_session_has_lost_its_browser(
    steps: Steps, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watcher_module, "GRACE", 0.0)
    browser.is_connected = False
    steps.finish()
    assert (steps.job.running, steps.job.result) == (False, None)
    browser.is_connected = True
    steps.job.start(NO_MODEL)  # as the page does that is shown again
    steps.finish()
    assert steps.job.result == "done"


@pytest.mark.parametrize("comes_back", [True, False])
def test_a_browser_has_time_to_come_back(
    steps: Steps, browser: Browser, monkeypatch: pytest.MonkeyPatch, comes_back: bool
) -> None:
    monkeypatch.setattr(watcher_module, "GRACE", float("inf"))
    browser.is_connected = False
    assert browser.watcher.waits
    browser.is_connected = comes_back
    steps.finish()
    assert steps.job.result == "done"


def test_the_grace_period_restarts(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(watcher_module.time, "monotonic", lambda: now)
    for _ in range(2):
        browser.is_connected = False
        assert browser.watcher.waits
        now += watcher_module.GRACE - 1
        assert browser.watcher.waits
        browser.is_connected = True
        assert browser.watcher.waits
    browser.is_connected = False
    assert browser.watcher.waits
    now += watcher_module.GRACE
    assert not browser.watcher.waits


def test_a_page_that_is_loaded_again_picks_the_job_up(
    steps: Steps, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser.is_connected = False
    worker = steps.job._worker
    again = Watcher()
    steps.job.watch(again)
    steps.job.start(NO_MODEL)
    monkeypatch.setattr(watcher_module, "GRACE", 0.0)
    steps.finish()
    assert (steps.job.result, steps.job._worker) == ("done", worker)


def test_a_job_of_the_same_session_waits_and_ends_where_it_waits(steps: Steps) -> None:
    begun = []
    second: Job[None] = Job(lambda *_: begun.append("second"))
    second.watch(ONE)
    second.start(NO_MODEL)
    while not second.jobs_ahead:
        second.wait(0.001)
    second.cancel()
    second.wait(SECONDS)
    assert not second.running
    assert begun == []
    second.start(NO_MODEL)
    steps.finish()
    second.wait(SECONDS)
    assert begun == ["second"]


def test_short_work_goes_before_the_next_run_of_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    order, gives_way, may_end = [], threading.Event(), threading.Event()

    def give_way(_: float) -> None:
        gives_way.set()
        worker.wait_until_idle(SECONDS)

    def short() -> None:
        assert may_end.wait(SECONDS)
        order.append("short")

    def long(*_: Any) -> None:
        with threads_for(1):
            order.append("run of a job")

    monkeypatch.setattr(job_module, "wait_until_idle", give_way)
    submitted = worker._submit(short)
    job: Job[None] = Job(long)
    job.start(NO_MODEL)
    assert gives_way.wait(SECONDS)
    may_end.set()
    job.wait(SECONDS)
    submitted.result(SECONDS)
    assert order == ["short", "run of a job"]


def test_a_job_is_stopped_between_two_runs_of_the_model() -> None:
    runs, begun, runs_on = [], threading.Event(), threading.Event()

    def long(*_: Any) -> None:
        for number in range(2):
            with threads_for(1):
                runs.append(number)
                begun.set()
                assert runs_on.wait(SECONDS)

    job: Job[None] = Job(long)
    job.start(NO_MODEL)
    assert begun.wait(SECONDS)
    job.cancel()
    runs_on.set()
    job.wait(SECONDS)
    assert (job.running, job.failed) == (False, False)
    assert runs == [0]
