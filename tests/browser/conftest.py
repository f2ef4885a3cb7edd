"""One Chromium for all browser tests, the one that tests/chromium.sh finds, and one server of the app."""

import subprocess
import threading
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, sync_playwright

from tests.browser.pages.app_page import App, AppPage, Open
from tests.browser.pages.files import Files, serving
from tests.browser.pages.offline import Offline
from tests.browser.pages.server import Server, free_port
from tests.browser.pages.watch import TroubleError, assert_none
from tests.browser.pages.window import FORGET, STORE, Window

FOLDER = Path(__file__).parent
ROOT = Path(__file__).parents[2]
FIND_CHROMIUM = ROOT / "tests" / "chromium.sh"
HAS_FAILED = pytest.StashKey[bool]()  # of a test
NOTHING_ELSE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"  # no other machine can be reached
# Pages of tests are too short-lived to win back what V8 spends on compiling their functions a second time, but for the
# hottest, such as a decompressor's: those are compiled after ten times the calls that V8 usually waits for.
OPTIMISE_LITTLE = (
    "--js-flags=--no-opt --liftoff-only --invocation-count-for-maglev=4000 --invocation-count-for-maglev-osr=1000"
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Window]:
    found = subprocess.run(["bash", FIND_CHROMIUM, "--shell"], check=False, capture_output=True, text=True)
    if found.returncode:
        pytest.fail("browser tests need a Chromium: `make test` installs one, `tests/chromium.sh --install` as well")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=found.stdout.strip(), args=["--no-sandbox", NOTHING_ELSE, OPTIMISE_LITTLE]
        )
        yield Window(running)
        running.close()


@pytest.fixture(scope="session")
def files() -> Iterator[Files]:
    with serving() as files:
        yield files


@pytest.fixture
def offline(browser: Window, files: Files) -> Iterator[Offline]:
    with browser.tab(viewport={"width": 1100, "height": 1000}) as page:
        offline = Offline(page, files)
        yield offline
        trouble = offline.watch.end()
    assert_none(trouble)


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """`streamlit run app.py`. Its outgoing requests go to a recorder."""
    folder = tmp_path_factory.mktemp("app")
    asked: list[str] = []
    recorder = ThreadingHTTPServer(("127.0.0.1", 0), type("Recorder", (_Recorder,), {"asked": asked}))
    threading.Thread(target=recorder.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    world = f"http://127.0.0.1:{recorder.server_port}"
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"), world)
    local = {"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"}
    # Not offline: the app itself must send nothing.
    environment = proxies | local | {"HF_ENDPOINT": world, "HF_HOME": str(folder), "HF_HUB_OFFLINE": "0"}
    server = Server(port=free_port(), log=folder / "log.txt", environment=environment)
    try:
        server.start()
        yield App(server, asked)
    finally:
        server.stop()
        recorder.shutdown()
        recorder.server_close()


class _Recorder(BaseHTTPRequestHandler):
    """Answers every request with 503 and remembers it."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(f"{self.command} {self.path}")
        self.send_error(503)

    do_HEAD = do_POST = do_CONNECT = do_GET  # noqa: N815

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on the terminal."""


@pytest.fixture
def open_app(browser: Window, app: App) -> Iterator[Open]:
    """Opens the app in a new tab; keywords are the link's parameters, `size` the browser's, and `stored` all that it
    stores.
    """
    opened: list[AppPage] = []
    tracebacks = app.tracebacks()
    with ExitStack() as tabs:

        def open_(
            *, size: tuple[int, int] = (1440, 900), stored: dict[str, str] | None = None, **selection: str
        ) -> AppPage:
            width, height = size
            viewport: ViewportSize = {"width": width, "height": height}
            page = tabs.enter_context(browser.tab(viewport=viewport, reduced_motion="reduce"))
            if stored is not None:
                page.goto(f"{app.url}/_stcore/health")  # the least that the server sends
                page.evaluate(STORE, stored)
            opened.append(AppPage(page, app.url))
            return opened[-1].open(**selection)

        yield open_
        trouble = [what for one in opened for what in one.watch.end()]
    assert_none(trouble)
    app.assert_no_new_tracebacks(tracebacks)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser test that fails is run once more, and both are reported: a busy machine can delay a browser or a server
    for longer than a test waits. What does not depend on time fails at once: errors, tracebacks, requests elsewhere.
    """
    for item in items:
        if item.path.is_relative_to(FOLDER):
            item.add_marker(pytest.mark.flaky(reruns=1, rerun_except=[TroubleError]))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        item.stash[HAS_FAILED] = True
    return report


@pytest.fixture(scope="session")
def visited() -> list[Page]:
    """Pages that show the app and that no test uses now."""
    return []


@pytest.fixture
def visit_app(request: pytest.FixtureRequest, browser: Window, app: App, visited: list[Page]) -> Iterator[Open]:
    """Opens links as `open_app` does, but in pages that other tests had before, for a sixth of the computing.

    The address, which is all that such a page is told, brings back the whole selection. These stay: the session with
    its runs and its tours, the messages in the browser's store, the view that was open in each group of views, and the
    part of a picture that was enlarged; and the history, which ends at 50 entries. A test that depends on any of them
    needs `open_app`.
    """
    opened: list[AppPage] = []
    tracebacks = app.tracebacks()

    def visit(*, size: tuple[int, int] = (1440, 900), **selection: str) -> AppPage:
        is_new = not visited
        page = browser.new_page(reduced_motion="reduce") if is_new else visited.pop()
        page.set_viewport_size({"width": size[0], "height": size[1]})
        at = AppPage(page, app.url).front()
        opened.append(at)
        return at.open(**selection) if is_new else at.go(**selection)

    yield visit
    for at in opened:
        at.let_go()
    trouble = [what for at in opened for what in at.watch.end()]
    has_failed = trouble or HAS_FAILED in request.node.stash
    for at in opened:
        if has_failed:
            at.page.close()
        else:
            at.page.evaluate(FORGET)
            visited.append(at.page)
    assert_none(trouble)
    app.assert_no_new_tracebacks(tracebacks)
