"""What the tests of the page share."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import streamlit

import encoder
from encoder import Backend
from encoder.catalogue import BUILT_IN
from encoder.collection.shipped_sets import shipped_collection
from encoder.collection.table import Collection
from tests.app.app_script import Offered
from tests.app.jobs import started_jobs
from viz.caches import collections
from viz.computing import threads
from viz.computing.background import Background
from viz.computing.job import Job
from viz.computing.paints import PAINTS
from viz.page import loading
from viz.wording import file_names


@pytest.fixture(scope="session", autouse=True)
def errors_with_their_details() -> None:
    """Visitors do not see them, tests do."""
    streamlit.set_option("client.showErrorDetails", "full")


@pytest.fixture(scope="module", autouse=True)
def nothing_is_worked_out_after_the_tests() -> Iterator[None]:
    yield
    for thread in threads.stop_all():
        thread.join(60)


load_from_files = encoder.load
load_and_keep = cache(load_from_files)


def load_once(name: str) -> Backend:
    """Folders are loaded each time: tests change them."""
    return load_and_keep(name) if name in BUILT_IN else load_from_files(name)


@pytest.fixture(scope="module", autouse=True)
def one_load_of_each_model_that_ships() -> Iterator[None]:
    """Reading and checking weights takes a third of a second, and the page keeps three models at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoder, "load", load_once)
        yield


def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Let go of the models after the last test of the page."""
    if nextitem is None or Path(__file__).parent not in nextitem.path.parents:
        load_and_keep.cache_clear()


@pytest.fixture(scope="session", autouse=True)
def nothing_is_loading() -> Iterator[None]:
    """Models can be used at once: torch is here already."""
    loaded = Background([("nothing", lambda: None)])
    loaded.start()
    loaded.wait(60)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "MODELS", loaded)
        yield


@pytest.fixture(autouse=True)
def nobody_paints(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no browser whose paint the page waits for, 2 s each, even after a test has made the server's routes."""
    monkeypatch.setattr(PAINTS, "address", None)


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> Offered:
    """What makes each file that the page offers to download, by the file's name without the text of the page."""
    files: Offered = {}
    monkeypatch.setattr(file_names, "file_name", lambda text, what, ending: f"{what.replace(' ', '-')}.{ending}")
    button = streamlit.download_button

    def note(label: str, data: Callable[[], bytes], **options: Any) -> bool:
        files[options["file_name"]] = data
        return button(label, data, **options)

    monkeypatch.setattr(streamlit, "download_button", note)
    return files


@pytest.fixture
def forty_reviews(monkeypatch: pytest.MonkeyPatch) -> Collection:
    """Forty of the reviews that ship are read instead of all."""
    found = shipped_collection("reviews").select(range(40))
    monkeypatch.setattr(
        collections, "shipped_collection", lambda name: found if name == "reviews" else shipped_collection(name)
    )
    return found


@pytest.fixture(scope="module")
def jobs_begin_at_once() -> Iterator[None]:
    """There is no browser to leave the cores to; and each job is noted when it is started."""
    start = Job.start

    def noted(job: Job[Any], backend: Backend, *, delay: float = 0.0) -> None:
        start(job, backend)
        started_jobs.append(job)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Job, "start", noted)
        yield


@pytest.fixture(scope="module")
def no_work_beside_the_page() -> Iterator[None]:
    """Nothing is worked out in threads of its own: such a job goes on when its view is left, through the next tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Job, "start", lambda job, backend, *, delay=0.0: None)
        yield
