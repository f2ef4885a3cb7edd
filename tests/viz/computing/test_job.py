"""A job that nobody waits for any more ends, and begins again when it is wanted again."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from encoder import Backend
from viz.computing.job import Job, Progress

SECONDS = 30
NO_MODEL: Any = None  # the work asks none


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
    steps.job.watch("one")
    steps.job.start(NO_MODEL)
    yield steps
    steps.finish()


def test_the_last_one_who_leaves_ends_it(steps: Steps) -> None:
    steps.job.watch("other")
    steps.job.leave("one")
    assert not steps.job.cancelled
    steps.job.leave("other")
    steps.finish()
    assert steps.job.cancelled
    assert steps.job.result is None
    assert not steps.job.waits_for_a_click


def test_it_begins_again_by_itself(steps: Steps) -> None:
    steps.job.leave("one")
    steps.finish()
    steps.job.watch("one")
    steps.job.start(NO_MODEL)
    steps.finish()
    assert steps.job.result == "done"


def test_what_somebody_stopped_waits_for_a_click(steps: Steps) -> None:
    steps.job.cancel()
    steps.job.leave("one")
    steps.finish()
    assert steps.job.waits_for_a_click


def test_leaving_what_is_done_changes_nothing(steps: Steps) -> None:
    steps.finish()
    steps.job.leave("one")
    assert (steps.job.result, steps.job.cancelled) == ("done", False)
