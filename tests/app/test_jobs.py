"""The progress and the buttons of a job that several sessions wait for."""

from collections.abc import Iterator
from threading import Semaphore

import pytest
from streamlit.testing.v1 import AppTest

from encoder import Backend
from encoder.progress import Progress
from tests.app.app_script import click, run
from viz.computing.job import Job

SECONDS = 60
STEPS = 3


class Steps:
    """Work that makes a step when the test lets it."""

    def __init__(self) -> None:
        self.allowed = Semaphore(0)
        self.job = Job(self._work)

    def _work(self, _: Backend, report: Progress) -> str:
        for step in range(STEPS):
            report(step, STEPS)
            assert self.allowed.acquire(timeout=SECONDS)
        return "done"

    def finish(self) -> None:
        self.allowed.release(2 * STEPS)
        self.job.wait(SECONDS)


@pytest.fixture
def steps() -> Iterator[Steps]:
    steps = Steps()
    yield steps
    steps.finish()


def page(job: object) -> None:
    import streamlit as st

    from viz.computing.job import Job
    from viz.widgets.jobs import follow

    assert isinstance(job, Job)
    st.text(follow(job, "bundled", tokens=1, what="The steps", key="steps"))


def opened(steps: Steps) -> AppTest:
    return run(AppTest.from_function(page, args=(steps.job,)))


def buttons(at: AppTest) -> list[str | None]:
    return [button.key for button in at.button]


def test_a_stop_leaves_the_job_to_other_sessions(steps: Steps) -> None:
    one, other = opened(steps), opened(steps)
    assert buttons(one) == buttons(other) == ["steps_stop"]
    click(one, "steps_stop")
    assert not steps.job.cancelled
    assert buttons(run(one)) == ["steps_begin"]
    assert buttons(run(other)) == ["steps_stop"]
    steps.finish()
    assert [run(at).text[0].value for at in (one, other)] == ["done", "done"]


def test_a_job_that_all_sessions_stopped_restarts_on_a_click(steps: Steps) -> None:
    one, other = opened(steps), opened(steps)
    for at in (one, other):
        click(at, "steps_stop")
    assert steps.job.cancelled
    steps.allowed.release()
    steps.job.wait(SECONDS)
    assert buttons(run(one)) == buttons(run(other)) == ["steps_begin"]
    assert not steps.job.running
    assert buttons(click(one, "steps_begin")) == ["steps_stop"]
    steps.finish()
    assert run(one).text[0].value == "done"
