"""What SIGTERM ends, and what it waits for, on a real server."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from bench.server import serve
from bench.visitor import visit
from tests.threads import in_a_thread

SECONDS = 60
APP = """
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st

from viz.page import bounds
from viz.page.ending import answer_before_the_end

pages = bounds.Pages(9)


@asynccontextmanager
async def started(_):
    answer_before_the_end(pages)
    yield


app = st.App(Path(__file__).with_name("page.py"), lifespan=started, middleware=bounds.middleware(pages))
"""
# The run goes on until the job has ended, which the signal does.
PAGE = """
from pathlib import Path
from threading import Event

import streamlit as st

from viz.computing.threads import start_thread

FOLDER = Path({folder!r})
ended = Event()
job = start_thread(ended.wait, stop=ended.set, name="job")
(FOLDER / "begun").touch()
job.join()
st.markdown("the answer")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal to send to another process")
def test_jobs_end_and_runs_are_answered_before_the_server_ends(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    (tmp_path / "page.py").write_text(PAGE.format(folder=str(tmp_path)), encoding="utf-8")

    async def run(url: str, pid: int) -> None:
        async with visit(url) as visitor, asyncio.timeout(SECONDS):
            opening = asyncio.create_task(visitor.open())
            while not (tmp_path / "begun").exists():
                await asyncio.sleep(0.01)
            os.kill(pid, signal.SIGTERM)
            await opening
            assert visitor.texts == ["the answer"]

    with serve(tmp_path / "app.py", tmp_path / "log.txt") as server:
        in_a_thread(lambda: run(server.url, server.pid))
    assert "Traceback" not in (tmp_path / "log.txt").read_text(encoding="utf-8")
