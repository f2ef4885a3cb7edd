"""What a tab asked for ends with it, on a real server."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from bench.server import Server, serve
from bench.visitor import visit
from tests.threads import in_a_thread

SECONDS = 60
# Each part says in a file how far it is.
PAGE = """
import time
from pathlib import Path

import streamlit as st

from viz.computing import job, watcher
from viz.computing.worker import in_worker
from viz.widgets.jobs import watch

FOLDER = Path({folder!r})
watcher.GRACE = 0.0


def wait_for(name):
    while not (FOLDER / name).exists():
        time.sleep(0.01)


def note(name):
    (FOLDER / name).touch()


def steps(_, table=None, *, progress):
    name = table.name if table else "job"
    note(f"{{name}} begun")
    try:
        while True:
            progress(0, 1)
            time.sleep(0.01)
    finally:
        note(f"{{name}} ended")


def job_of_own_table(name):
    import pyarrow

    from encoder.collection.table import guessed
    from viz.caches.collections import current_collection, job_of_table, set_own_collection
    from viz.recipes.step import LongStep

    if current_collection("own") is None:
        set_own_collection(guessed(name, pyarrow.table({{"text": ["a text"]}})))
    table = current_collection("own")
    return job_of_table(LongStep(steps, (table,), tokens=0, what="", key="", table=table), "bundled")


@st.cache_resource
def the_job():
    return job.Job(job.work_of(steps))


part = st.query_params["part"]
if part == "job":
    watch([the_job()], key="job")
    the_job().start(None)
elif part == "table":
    the_table_job = job_of_own_table(st.query_params["name"])
    watch([the_table_job], key="table")
    the_table_job.start(None)
    note(st.query_params["name"])
elif part == "busy":
    in_worker(lambda: (note("busy"), wait_for("free")))
elif part == "waits":
    note("waits")
    try:
        in_worker(lambda: note("worked"))
    finally:
        note("dropped")
elif part == "last":
    in_worker(lambda: note("last"))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sessions")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    page = folder / "page.py"
    page.write_text(PAGE.format(folder=str(folder)), encoding="utf-8")
    with serve(page, folder / "log.txt") as running:
        yield running
        (folder / "free").touch()


async def wait_until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(SECONDS):
        while not is_so():
            await asyncio.sleep(0.01)


def test_a_job_ends_with_the_last_tab_that_waits_for_it(server: Server, folder: Path) -> None:
    async def run() -> None:
        async with visit(server.url, part="job") as one:
            await one.open()
            async with visit(server.url, part="job") as other:
                await other.open()
                await wait_until((folder / "job begun").exists)
            assert not (folder / "job ended").exists()
        await wait_until((folder / "job ended").exists)

    in_a_thread(run)


def test_jobs_over_the_tables_of_fifty_tabs_end_with_the_tabs(server: Server, folder: Path) -> None:
    async def run() -> None:
        async with AsyncExitStack() as tabs:
            for number in range(50):
                tab = await tabs.enter_async_context(visit(server.url, part="table", name=f"table {number}"))
                await tab.request()
            await wait_until(lambda: len(list(folder.glob("table *[0-9]"))) == 50 and any(folder.glob("* begun")))
        async with visit(server.url, part="table", name="last table") as last:
            await last.request()
            await wait_until((folder / "last table begun").exists)  # so no earlier one has its turn, or waits for it
        await wait_until((folder / "last table ended").exists)
        names = [{each.name.removesuffix(end) for each in folder.glob(f"table *{end}")} for end in ("begun", "ended")]
        assert names[0] == names[1]

    in_a_thread(run)


def test_the_work_of_a_tab_that_is_closed_while_it_waits_is_dropped(server: Server, folder: Path) -> None:
    async def run() -> None:
        async with visit(server.url, part="busy") as busy, visit(server.url, part="last") as last:
            await busy.request()
            await wait_until((folder / "busy").exists)
            async with visit(server.url, part="waits") as waits:
                await waits.request()
                await wait_until((folder / "waits").exists)
            await wait_until((folder / "dropped").exists)
            (folder / "free").touch()
            await last.open()
        assert (folder / "last").exists()
        assert not (folder / "worked").exists()

    in_a_thread(run)
