"""The page in AppTest with background jobs: helpers that wait for them."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.app_script import click, open_page, run
from viz.computing import job as jobs
from viz.computing.job import Job

started_jobs: list[Job[Any]] = []  # noted by the fixture `jobs_begin_at_once`


def open_settled(**link: str) -> AppTest:
    return settled(open_page(**link))


def settled(at: AppTest) -> AppTest:
    """Rerun the page until its jobs are done; AppTest does not rerun a fragment by itself."""
    while any(str(button.key).endswith("_stop") for button in at.button):
        for job in started_jobs:
            job.wait(60)
            assert not job.running, "the job does not end"
        run(at)
    started_jobs.clear()
    return at


def stopped_and_begun_again(name: str, **link: str) -> AppTest:
    """Open a page, stop a job while it waits for its turn, start it again, and wait for it.

    Args:
        name: of its buttons, without "_stop" and "_begin".
        link: of the page, which waits for no other job.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs._turns, "_at_once", 0)
        at = open_page(**link)
        if f"{name}_stop" not in [button.key for button in at.button]:
            click(at, f"{name}_begin")
        click(at, f"{name}_stop")
        (job,) = started_jobs
        job.wait(60)
    assert f"{name}_begin" in [button.key for button in run(at).button]
    return settled(click(at, f"{name}_begin"))
