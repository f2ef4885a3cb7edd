"""The page without a server: bytes, time over a slow network, typing against the app, memory, and many visitors."""

from __future__ import annotations

import string
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page

from bench.context import BUNDLED, Context
from bench.live_typing import BETWEEN_KEYS, LETTERS, timed_typing
from bench.measure import Row, alternate, compare
from bench.page import LIMIT, SIZE, chromium
from bench.server import MB, memory_in
from viz.launch import HOST, free_port
from viz.site.build import build
from viz.site.models import open_model
from viz.tours.shipped import NAMES

PART = "A page without a server, in Chromium"
EXAMPLE, TYPED = "site", "site text"  # pictures of page.js
SENTENCE = "the bank raised its rates"
SLOW = 20e6 / 8  # bytes a second: 20 Mbit/s
DELAY = 0.02  # seconds before each answer of a slow server
CHUNK = 16_384
TYPING = {16: "≤ 1", 64: "≤ 1.5", 128: "≤ 2.5"}  # tokens, and the target
VISITORS, AT_ONCE = 1_000, 16


class SiteServer(ThreadingHTTPServer):
    """Serves a folder, and notes what it sent; `rate` is the bytes a second of all answers together, 0 for any."""

    daemon_threads = True

    def __init__(self, folder: Path, rate: float = 0) -> None:
        super().__init__((HOST, 0), partial(_Handler, directory=str(folder)))
        self.rate = rate
        self.sent: dict[str, int] = {}
        self._lock, self._free = threading.Lock(), 0.0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.server_port}/"

    def wait_for(self, size: int) -> None:
        """Wait until the network has carried so many bytes more."""
        if not self.rate:
            return
        with self._lock:
            self._free = max(self._free, time.monotonic()) + size / self.rate
            until = self._free
        time.sleep(max(until - time.monotonic(), 0))

    def end(self) -> None:
        self.shutdown()
        self.server_close()


class _Handler(SimpleHTTPRequestHandler):
    server: SiteServer

    def log_message(self, format: str, *_: object) -> None:
        """Nothing."""

    def copyfile(self, source: Any, outputfile: BinaryIO | Any) -> None:
        if self.server.rate:
            time.sleep(DELAY)
        while data := source.read(CHUNK):
            self.server.wait_for(len(data))
            outputfile.write(data)
            self.server.sent[self.path] = self.server.sent.get(self.path, 0) + len(data)


def rows(context: Context) -> Iterator[Row]:
    """Every visitor has an empty cache, unless typing is measured."""
    folder = context.folder / "site"
    sizes = build(folder, open_model("bundled"), lessons=NAMES)
    sentence = yield from _visit(context.browser, folder, sum(sizes.values()))
    yield from _slow(context, folder)
    yield from _typing(context, folder)
    yield _memory(folder)
    yield _visitors(folder, sentence)


@contextmanager
def _opened(browser: Browser, server: SiteServer) -> Iterator[Page]:
    """The page with its example, in a browser that has nothing of it."""
    window = browser.new_context(viewport=SIZE)  # type: ignore[arg-type]
    page = window.new_page()
    page.set_default_timeout(1e3 * LIMIT)
    page.add_init_script(path=str(Path(__file__).parent / "page.js"))
    page.goto(server.url, wait_until="commit")
    try:
        yield page
    finally:
        window.close()


def _type(page: Page, text: str) -> None:
    page.get_by_role("textbox", name="Sentence B").fill("")
    page.get_by_role("textbox", name="Sentence A").fill(text)


def _await(page: Page, kind: str, wanted: str) -> None:
    page.wait_for_function("([kind, wanted]) => bench.shows(kind, wanted)", arg=[kind, wanted])


def _load_all(page: Page) -> None:
    page.get_by_role("button", name="Load the others").click()
    page.wait_for_selector(".not-loaded", state="detached")


def _visit(browser: Browser, folder: Path, everything: int) -> Generator[Row, None, list[str]]:
    """Bytes by what a visitor does, and requests to other hosts. Returns the files of a typed sentence."""
    server = SiteServer(folder)
    hosts = set()
    with _opened(browser, server) as page:
        page.context.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        page.wait_for_load_state("networkidle")
        example = sum(server.sent.values())
        _type(page, SENTENCE)
        _await(page, TYPED, SENTENCE)
        page.wait_for_load_state("networkidle")
        sentence = dict(server.sent)
        _load_all(page)
        loaded = sum(server.sent.values())
    server.end()
    yield _row("bytes: example", example / MB, unit="MB", target="≤ 1.5")
    yield _row("bytes: and a typed sentence", sum(sentence.values()) / MB, unit="MB", target="≤ 10")
    yield _row("bytes: and all layers", loaded / MB, unit="MB")
    yield _row("bytes: everything", everything / MB, unit="MB", target="≤ 55")
    yield _row("requests to other hosts", len(hosts - {urlsplit(server.url).netloc, ""}), unit="", target="≤ 0")
    return list(sentence)


def _slow(context: Context, folder: Path) -> Iterator[Row]:
    """From the address, and from a text that is put in as soon as the example is painted, to the painted picture."""
    seen: dict[str, list[float]] = {"example": [], "typed": []}
    for _ in range(context.rounds):
        server = SiteServer(folder, SLOW)
        with _opened(context.browser, server) as page:
            page.evaluate("kind => bench.first(kind)", EXAMPLE)
            page.wait_for_function("() => bench.done")
            seen["example"].append(page.evaluate("bench.done.seconds - performance.timeOrigin / 1e3"))
            page.get_by_role("textbox", name="Sentence B").fill("")
            page.evaluate("([kind, wanted]) => bench.arm(kind, 'input', wanted)", [TYPED, SENTENCE])
            page.get_by_role("textbox", name="Sentence A").fill(SENTENCE)
            page.wait_for_function("() => bench.done")
            seen["typed"].append(page.evaluate("bench.done.seconds"))
        server.end()
    for name, target in (("example", "≤ 1"), ("typed", "≤ 3")):
        what = f"first picture of {'an example' if name == 'example' else 'a typed text'}, nothing cached, 20 Mbit/s"
        yield _row(what, median(seen[name]), unit="s", n=len(seen[name]), target=target)


def _typing(context: Context, folder: Path) -> Iterator[Row]:
    """From the last key to the painted picture, with all layers loaded, over the app; one thread in the browser."""
    server = SiteServer(folder)
    with context.app() as app, _opened(context.browser, server) as page:
        _type(page, SENTENCE)
        _await(page, TYPED, SENTENCE)
        _load_all(page)
        words = map("".join, product(string.ascii_lowercase, repeat=LETTERS))
        for size, target in TYPING.items():
            text = context.texts.new(size)
            with context.tab(app) as tab:
                tab.open(a=text, model=context.link(BUNDLED))
                variants = {"site": _typed(page, text, words), "app": timed_typing(tab, text, words)}
                times = alternate(variants, context.rounds)
            what = "typing at 5 keys a second, last key to painted, over the app"
            yield compare(times, "site", "app", part=PART, what=what, tokens=size, target=target)
    server.end()


def _typed(page: Page, text: str, words: Iterator[str]) -> Callable[[], float]:
    """As in the app: the word before is deleted, then the next one typed behind the text."""
    field = page.get_by_role("textbox", name="Sentence A")

    def sample() -> float:
        field.fill(text)
        _await(page, TYPED, text)
        field.press("End")
        *keys, last = list(f" {next(words)}")
        for key in keys:
            field.press("Space" if key == " " else key)
            page.wait_for_timeout(BETWEEN_KEYS)
        wanted = f"{text}{''.join(keys)}{last}"
        page.evaluate("([kind, key, wanted]) => bench.arm(kind, key, wanted)", [TYPED, last, wanted])
        field.press(last)
        page.wait_for_function("() => bench.done")
        return float(page.evaluate("bench.done.seconds"))

    return sample


def _memory(folder: Path) -> Row:
    """The tab's process in a browser of its own, after a typed text with all layers."""
    server = SiteServer(folder)
    with chromium() as browser, _opened(browser, server) as page:
        _type(page, SENTENCE)
        _await(page, TYPED, SENTENCE)
        _load_all(page)
        processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
        renderers = [each["id"] for each in processes if each["type"] == "renderer"]
        status = [Path(f"/proc/{pid}/status").read_text(encoding="utf-8") for pid in renderers]
    server.end()
    resident, private = (max(memory_in(each, name) for each in status) for name in ("VmRSS", "RssAnon"))
    note = f"resident, with the code of Chromium that all its processes share, {resident:.0f} MB"
    return _row("memory of the tab, all layers loaded", private, unit="MB", target="≤ 350", note=note)


def _visitors(folder: Path, files: list[str]) -> Row:
    """Visitors who each load the example and what a sentence needs, from `python -m http.server`."""
    port = free_port()
    command = [sys.executable, "-m", "http.server", str(port), "--bind", HOST, "--directory", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:

        def visit(_: int) -> int:
            return sum(len(urllib.request.urlopen(f"http://{HOST}:{port}{path}").read()) for path in files)

        try:
            time.sleep(1)
            started = time.perf_counter()
            with ThreadPoolExecutor(AT_ONCE) as pool:
                loaded = sum(pool.map(visit, range(VISITORS)))
            lasted = time.perf_counter() - started
        finally:
            process.terminate()
    note = f"{VISITORS / lasted:.0f} visitors a second; {loaded / VISITORS / MB:.1f} MB each in {len(files)} files"
    what = f"{VISITORS:,} visitors who type a sentence, {AT_ONCE} at once: `python -m http.server`"
    return _row(what, loaded / lasted / MB, unit="MB/s", n=VISITORS, note=note)


def _row(what: str, ours: float, *, unit: str, n: int = 1, target: str = "", note: str = "") -> Row:
    return Row(part=PART, what=what, ours=ours, unit=unit, n=n, target=target, judged_by="ours", note=note)
