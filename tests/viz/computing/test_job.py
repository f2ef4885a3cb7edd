"""Jobs: which one runs, what ends it, and what restarts it."""

import gc
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from encoder import Backend
from encoder.errors import SelectionError
from encoder.models.threads import threads_for
from encoder.progress import Progress
from viz.computing import job as job_module
from viz.computing import watcher as watcher_module
from viz.computing import worker
from viz.computing.job import Job, Turns
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


def test_a_job_ends_when_its_last_session_leaves(steps: Steps) -> None:
    other = Watcher()
    steps.job.watch(other)
    steps.job.leave(ONE)
    assert not steps.job.cancelled
    steps.job.leave(other)
    steps.finish()
    assert steps.job.cancelled
    assert steps.job.result is None


def test_a_job_restarts_by_itself_when_a_session_waits_again(steps: Steps) -> None:
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


def test_a_job_that_waits_for_its_start_can_be_cancelled() -> None:
    done: list[str] = []
    job: Job[None] = Job(lambda *_: done.append("work"))
    job.start(NO_MODEL, delay=60)
    assert job.running
    job.cancel()
    job.wait(SECONDS)
    assert (job.running, done) == (False, [])
    job.start(NO_MODEL, delay=0.01)
    job.wait(SECONDS)
    assert done == ["work"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("error", [SelectionError("These heads cannot be silenced."), MemoryError()])
def test_an_error_ends_a_job_until_a_click(error: Exception) -> None:
    errors = [error]

    def work(*_: Any) -> str:
        if errors:
            raise errors.pop()
        return "done"

    job = Job(work)
    job.start(NO_MODEL)
    job.wait(SECONDS)
    assert (job.failed, job.waits_for_a_click, job.result) == (isinstance(error, MemoryError), True, None)
    assert job.error is (None if job.failed else error)
    job.start(NO_MODEL)
    job.wait(SECONDS)
    assert (job.result, job.waits_for_a_click) == ("done", False)


# The queue of jobs ----------------------------------------------------------------------------------------------------

ANN, BEN, CAT, DAN = "Ann", "Ben", "Cat", "Dan"  # sessions


class UnwantedError(Exception):
    """Ends a job that waits."""


class Waiting:
    """A job that some sessions wait for. It ends on request."""

    def __init__(self, turns: Turns, *watchers: object) -> None:
        self.watchers = frozenset(watchers)
        self.begun, self.over, self.unwanted = threading.Event(), threading.Event(), threading.Event()
        self._asked, self._turns = threading.Event(), turns
        self._thread = threading.Thread(target=self._run)

    def start(self) -> "Waiting":
        """Until it has begun, or waits."""
        self._thread.start()
        while not self.begun.is_set() and not self._asked.is_set():
            self._asked.wait(0.001)
        return self

    def end(self) -> None:
        self.over.set()
        self._thread.join(SECONDS)

    def give_up(self) -> None:
        self.unwanted.set()
        self._thread.join(SECONDS)

    def _run(self) -> None:
        try:
            with self._turns.turn(self, self._end_if_unwanted):
                self.begun.set()
                assert self.over.wait(SECONDS)
        except UnwantedError:
            return

    def _end_if_unwanted(self) -> None:
        self._asked.set()
        if self.unwanted.is_set():
            raise UnwantedError


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> Iterator[Turns]:
    monkeypatch.setattr(job_module, "CHECK_INTERVAL", 0.001)
    return Turns(2)


def test_so_many_run_at_once_and_the_others_follow_in_their_order(turns: Turns) -> None:
    jobs = [Waiting(turns, watcher).start() for watcher in (ANN, BEN, CAT, DAN)]
    assert [job.begun.is_set() for job in jobs] == [True, True, False, False]
    assert [turns.ahead_of(job) for job in jobs] == [0, 0, 2, 3]
    jobs[1].end()
    assert jobs[2].begun.wait(SECONDS)
    assert not jobs[3].begun.is_set()
    jobs[0].end()
    assert jobs[3].begun.wait(SECONDS)
    for job in jobs[2:]:
        job.end()


def test_one_session_has_one_turn_and_others_go_before_its_next_job(turns: Turns) -> None:
    first, second = Waiting(turns, ANN).start(), Waiting(turns, ANN).start()
    other = Waiting(turns, BEN).start()
    assert [job.begun.is_set() for job in (first, second, other)] == [True, False, True]
    other.end()
    assert not second.begun.is_set()
    first.end()
    assert second.begun.wait(SECONDS)
    second.end()


def test_a_job_that_two_sessions_wait_for_is_the_turn_of_both(turns: Turns) -> None:
    shared, own = Waiting(turns, ANN, BEN).start(), Waiting(turns, BEN).start()
    assert [job.begun.is_set() for job in (shared, own)] == [True, False]
    shared.end()
    assert own.begun.wait(SECONDS)
    own.end()


def test_a_shared_job_begins_for_the_session_that_has_no_turn(turns: Turns) -> None:
    own, shared = Waiting(turns, ANN).start(), Waiting(turns, ANN, BEN).start()
    assert [job.begun.is_set() for job in (own, shared)] == [True, True]
    for job in (own, shared):
        job.end()


def test_a_job_that_is_unwanted_while_it_waits_leaves_its_place(turns: Turns) -> None:
    jobs = [Waiting(turns, watcher).start() for watcher in (ANN, BEN, CAT, DAN)]
    jobs[2].give_up()
    assert turns.ahead_of(jobs[3]) == 2
    jobs[0].end()
    assert jobs[3].begun.wait(SECONDS)
    assert not jobs[2].begun.is_set()
    for job in jobs[1], jobs[3]:
        job.end()


def test_a_job_that_fails_hands_its_turn_on(turns: Turns) -> None:
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), turns.turn(Waiting(turns, ANN), lambda: None):
            raise ZeroDivisionError
    last = Waiting(turns, ANN).start()
    assert last.begun.wait(SECONDS)
    last.end()
