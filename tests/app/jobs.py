"""The page in AppTest with background jobs: helpers that wait for them."""

from typing import Any

from streamlit.testing.v1 import AppTest

from tests.app.app_script import click, open_page, run
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


def stopped_and_begun_again(at: AppTest, name: str) -> AppTest:
    """Stop the only job that was started, unless it is already done, start it again, and wait for it.

    Args:
        name: of its buttons, without "_stop" and "_begin".
    """
    (job,) = started_jobs
    if job.running:
        click(at, f"{name}_stop")
    job.wait(60)
    if job.result is None:
        assert f"{name}_begin" in [button.key for button in run(at).button]
        click(at, f"{name}_begin")
    return settled(at)
