"""The page without a server: bytes, time over a slow network, typing against the app, memory, and many visitors."""

from __future__ import annotations

import string
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from playwright.sync_api import Browser

from bench.changes import MEDIAN, walk
from bench.context import BUNDLED, Context
from bench.live_typing import LETTERS, timed_typing
from bench.measure import Row, alternate, compare
from bench.page import Tab, launched
from bench.server import MB, memory_in, running
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
QUIET = 2.0  # seconds without an answer, after which a server has sent all
TYPING = {16: "≤ 1", 64: "≤ 1.5", 128: "≤ 2.5"}  # tokens, and the target
WALKS = {"another head": ("ArrowRight", "ArrowLeft", 11), "another layer": ("ArrowDown", "ArrowUp", 5)}
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

    def settled(self) -> dict[str, int]:
        """The bytes sent of each path, once it has sent nothing for a while."""
        before: dict[str, int] = {}
        while (sent := dict(self.sent)) != before:
            before = sent
            time.sleep(QUIET)
        return sent

    def __exit__(self, *error: object) -> None:
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
    yield _memory(context, folder)
    yield _visitors(context, folder, sentence)


class _SiteTab(Tab):
    """The page, in a browser that has nothing of it."""

    def idle(self) -> None:
        """Return at once: no script runs on the server."""

    def put(self, text: str) -> None:
        """Replace both sentences, until the text is painted."""
        self.page.get_by_role("textbox", name="Sentence B").fill("")
        self.text_field().fill(text)
        self.wait_for(TYPED, text)

    def load_all(self) -> None:
        """Load all layers, until the map of all heads has them."""
        self.page.get_by_role("button", name="Load the others").click()
        self.page.wait_for_selector(".not-loaded", state="detached")


def _visit(browser: Browser, folder: Path, everything: int) -> Generator[Row, None, list[str]]:
    """Bytes by what a visitor does, and requests to other hosts. Returns the files of a typed sentence."""
    hosts = set()
    with SiteServer(folder) as server, _SiteTab(browser, server.url) as tab:
        tab.page.context.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
        tab.goto()
        tab.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        example = server.settled()
        tab.put(SENTENCE)
        sentence = server.settled()
        tab.load_all()
        loaded = server.settled()
        elsewhere = hosts - {urlsplit(server.url).netloc, ""}
    yield _row("bytes: example", sum(example.values()) / MB, unit="MB", target="≤ 1.5")
    yield _row("bytes: and a typed sentence", sum(sentence.values()) / MB, unit="MB", target="≤ 10")
    yield _row("bytes: and all layers", sum(loaded.values()) / MB, unit="MB")
    yield _row("bytes: everything", everything / MB, unit="MB", target="≤ 55")
    yield _row("requests to other hosts", len(elsewhere), unit="", target="≤ 0")
    return list(sentence)


def _slow(context: Context, folder: Path) -> Iterator[Row]:
    """From the address, and from a text that is put in as soon as the example is painted, to the painted picture."""
    seen: dict[str, list[float]] = {"an example": [], "a typed text": []}
    for _ in range(context.rounds):
        with SiteServer(folder, SLOW) as server, _SiteTab(context.browser, server.url) as tab:
            tab.goto()
            painted = tab.first(EXAMPLE)
            seen["an example"].append(painted - tab.page.evaluate("performance.timeOrigin / 1e3"))
            tab.page.get_by_role("textbox", name="Sentence B").fill("")
            put = partial(tab.text_field().fill, SENTENCE)
            seen["a typed text"].append(tab.measure(TYPED, put, key="input", wanted=SENTENCE).seconds)
    for (name, seconds), target in zip(seen.items(), ("≤ 1", "≤ 3"), strict=True):
        what = f"first picture of {name}, nothing cached, 20 Mbit/s"
        yield _row(what, median(seconds), unit="s", n=len(seconds), target=target)


def _typing(context: Context, folder: Path) -> Iterator[Row]:
    """From the last key to the painted picture, with all layers loaded, over the app; one thread in the browser."""
    words = map("".join, product(string.ascii_lowercase, repeat=LETTERS))
    with SiteServer(folder) as server, context.app() as app, _SiteTab(context.browser, server.url) as site:
        site.goto(layer="0", head="0")
        site.put(SENTENCE)
        site.load_all()
        for size, target in TYPING.items():
            text = context.texts.new(size)
            with context.tab(app) as tab:
                tab.open(a=text, model=context.link(BUNDLED), layer="0", head="0")
                variants = {"site": timed_typing(site, text, words, kind=TYPED), "app": timed_typing(tab, text, words)}
                times = alternate(variants, context.rounds)
                what = "typing at 5 keys a second, last key to painted, over the app"
                yield compare(times, "site", "app", part=PART, what=what, tokens=size, target=target)
                if size == max(TYPING):
                    yield from _changes(context.rounds, site, tab, size)


def _changes(rounds: int, site: Tab, app: Tab, size: int) -> Iterator[Row]:
    """From a key on the map of all heads to the end of the frame with the other head or layer."""
    for what, keys in WALKS.items():
        variants = {"site": _walked(site, "picture", *keys), "app": _walked(app, "cell_map_pair", *keys)}
        row = compare(alternate(variants, rounds), "site", "app", part=PART, what=f"{what}, heat map", tokens=size)
        yield replace(row, target=MEDIAN, judged_by="ours")


def _walked(tab: Tab, picture: str, on: str, back: str, steps: int) -> Callable[[], float]:
    """The median of a walk through all heads of a layer, or through all layers, and back."""

    def sample() -> float:
        keys = walk(on, back, steps, 2 * steps)
        return median(tab.measure_change(picture, partial(tab.press_on_map, key)) for key in keys)

    return sample


def _memory(context: Context, folder: Path) -> Row:
    """The tab's process in a browser of its own, after a typed text with all layers."""
    new = launched(context.browser.browser_type)
    with SiteServer(folder) as server, new as browser, _SiteTab(browser, server.url) as tab:
        tab.goto()
        tab.put(SENTENCE)
        tab.load_all()
        server.settled()
        processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
        renderers = [each["id"] for each in processes if each["type"] == "renderer"]
        status = [Path(f"/proc/{pid}/status").read_text(encoding="utf-8") for pid in renderers]
    resident, private = (max(memory_in(each, name) for each in status) for name in ("VmRSS", "RssAnon"))
    note = f"resident, with the code of Chromium that all its processes share, {resident:.0f} MB"
    return _row("memory of the tab, all layers loaded", private, unit="MB", target="≤ 350", note=note)


def _visitors(context: Context, folder: Path, files: list[str]) -> Row:
    """Visitors who each load the example and what a sentence needs, from `python -m http.server`."""
    port = free_port()
    url = f"http://{HOST}:{port}"
    command = [sys.executable, "-m", "http.server", str(port), "--bind", HOST, "--directory", str(folder)]

    def visit(_: int) -> int:
        return sum(len(urllib.request.urlopen(f"{url}{path}").read()) for path in files)

    with running(command, url, context.folder / "http.log"):
        started = time.perf_counter()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            loaded = sum(pool.map(visit, range(VISITORS)))
        lasted = time.perf_counter() - started
    note = f"{VISITORS / lasted:.0f} visitors a second; {loaded / VISITORS / MB:.1f} MB each in {len(files)} files"
    what = f"{VISITORS:,} visitors who type a sentence, {AT_ONCE} at once: `python -m http.server`"
    return _row(what, loaded / lasted / MB, unit="MB/s", n=VISITORS, note=note)


def _row(what: str, ours: float, *, unit: str, n: int = 1, target: str = "", note: str = "") -> Row:
    return Row(part=PART, what=what, ours=ours, unit=unit, n=n, target=target, judged_by="ours", note=note)
