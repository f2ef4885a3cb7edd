"""A job that nobody waits for any more ends, and begins again when it is wanted again."""

import gc
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from encoder import Backend
from viz.computing.job import Job, Progress, Watcher

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
    assert not steps.job.waits_for_a_click


def test_it_begins_again_by_itself(steps: Steps) -> None:
    steps.job.leave(ONE)
    steps.finish()
    steps.job.watch(ONE)
    steps.job.start(NO_MODEL)
    steps.finish()
    assert steps.job.result == "done"


def test_what_somebody_stopped_waits_for_a_click(steps: Steps) -> None:
    steps.job.cancel()
    steps.job.leave(ONE)
    steps.finish()
    assert steps.job.waits_for_a_click


def test_leaving_what_is_done_changes_nothing(steps: Steps) -> None:
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
    assert steps.job.waits_for_a_click
