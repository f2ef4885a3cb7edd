"""Many people at one server: a class that works, and a class that has the page open beside one who works.

Nobody needs a browser for it: visitors speak Streamlit's protocol (`bench.visitor`). An answer has come when the page's
script has run to its end, which is when all that changed has been sent. The machine serves and visits at once.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from statistics import median, quantiles
from time import perf_counter
from typing import Any, NamedTuple, TypeVar
from urllib.request import urlopen

from websockets.exceptions import ConnectionClosed

from bench.context import Context
from bench.measure import Row
from bench.server import Server
from bench.texts import Texts
from bench.visitor import LIMIT, Change, Visitor, picked, put, triggered, visit
from viz.launch import HOST, METRICS, free_port
from viz.state.selection import View
from viz.views.registered import view_title

Result = TypeVar("Result")

PART = "Many people at one server, short texts, bundled model: from asking to the end of the page's run"
PEOPLE, ACTIONS, LONGEST_PAUSE = 50, 20, 4.0  # seconds
IDLE, ACTIONS_BESIDE_IDLE, BLOCKS = 200, 20, 2
LATE, LOST, IDLE_RATIO, GROWTH = "≤ 1000", "≤ 0", "≤ 1.3", "≤ 150"
TOKENS = 16
SCRAPED_EVERY = 5.0  # seconds
STILL, STILL_MB = 10.0, 1.0  # seconds in which the memory of a server that has loaded everything grows by less
LAYERS, HEADS = 6, 12  # of the bundled model
# Actions on the page, by the keys of its widgets.
VIEWS: tuple[View, ...] = ("heat map", "head view", "model view", "neuron view", "norms", "predictions")
numbers = count(1)  # of the messages that the page's components send


def message_of(*, held: bool = False, **changes: str | int) -> dict[str, Any]:
    """What the browser sends when the selection or a text is changed there."""
    number = next(numbers)
    text = number if "a" in changes else None
    return {"scope": "encoder", "number": number, "changes": changes, "typed": text, "held": held, "waiting": False}


def write(texts: Texts) -> Change:
    """Another text."""
    return put("texts_host", "selection", message_of(a=texts.new(TOKENS), b=""))


def choose_view(view: View) -> Change:
    """A choice from the list of views."""
    return picked("view", view_title(view))


def choose_head(layer: int, head: int) -> Change:
    """A click on the map of all heads, as the page receives it."""
    return triggered("host", "selection", message_of(layer=layer, head=head))


@dataclass
class Load:
    """What came back: seconds of every answer, and what went wrong."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    async def ask(self, visitor: Visitor, change: Change) -> None:
        """Make a change, and note how it went."""
        try:
            answer = await visitor.act(change)
        except (ConnectionClosed, TimeoutError, KeyError) as error:
            self.errors.append(repr(error))
        else:
            self.seconds.append(answer.seconds)
            self.errors += answer.errors


class Scrape(NamedTuple):
    """An answer to Prometheus: its bytes, and how long it took."""

    size: int
    seconds: float


def rows(context: Context) -> Iterator[Row]:
    """Each on a server of its own, which has shown every view once before."""
    port = free_port()
    with context.app({METRICS: str(port)}) as server:
        yield from in_a_thread(_class(server, context.texts, f"http://{HOST}:{port}/metrics"))
    with context.app() as server:
        yield in_a_thread(_beside_idle(server, context.texts))


def in_a_thread(work: Coroutine[Any, Any, Result]) -> Result:
    """Run in a thread of its own: in this one, the loop of Playwright's browser may be running."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, work).result()


async def _class(server: Server, texts: Texts, metrics: str) -> list[Row]:
    """Everybody opens the page and works, pausing as people do; Prometheus asks for metrics meanwhile."""
    load, scrapes = Load(), list[Scrape]()
    async with visitors_of(server, PEOPLE) as people:
        await show_every_view(people[0], texts)
        before = await _loaded(server)
        started = perf_counter()
        scraping = asyncio.create_task(_scrape(metrics, scrapes))
        async with asyncio.TaskGroup() as tasks:
            for seed, visitor in enumerate(people):
                tasks.create_task(work(visitor, texts, random.Random(seed), load))
        scraping.cancel()
        lasted = perf_counter() - started
        grown = server.resident() - before
    what = f"{PEOPLE} people × {ACTIONS} actions, each after a pause of 0 to {LONGEST_PAUSE:.0f} s"
    n = len(load.seconds)
    return [
        _row(f"{what}: answers a second", n / lasted, unit="1/s", n=n),
        _row(f"{what}: median", 1e3 * median(load.seconds), n=n),
        _row(f"{what}: 95 of 100 within", 1e3 * quantiles(load.seconds, n=20)[-1], n=n, target=LATE),
        _row(f"{what}: the slowest", 1e3 * max(load.seconds), n=n),
        _row(f"{what}: errors", len(load.errors), unit="", n=n, target=LOST, note="; ".join(load.errors[:1])),
        _row("a scrape of the metrics meanwhile", 1e3 * median(each.seconds for each in scrapes), n=len(scrapes)),
        _row("its size", max(each.size for each in scrapes) / 1e3, unit="kB", n=len(scrapes)),
        _row(f"{what}: resident memory of the server, growth", grown, unit="MB", n=n, target=GROWTH),
    ]


async def _scrape(metrics: str, scrapes: list[Scrape]) -> None:
    """Ask for the metrics every few seconds, until this is cancelled."""
    while True:
        scrapes.append(await asyncio.to_thread(_scrape_once, metrics))
        await asyncio.sleep(SCRAPED_EVERY)


def _scrape_once(metrics: str) -> Scrape:
    started = perf_counter()
    with urlopen(metrics, timeout=LIMIT) as answer:
        return Scrape(size=len(answer.read()), seconds=perf_counter() - started)


async def _loaded(server: Server) -> float:
    """MB of the server once it has loaded what all sessions share, some of which comes seconds after the model."""
    while True:
        before = server.resident()
        await asyncio.sleep(STILL)
        if (now := server.resident()) - before < STILL_MB:
            return now


async def work(visitor: Visitor, texts: Texts, chance: random.Random, load: Load) -> None:
    for _ in range(ACTIONS):
        await asyncio.sleep(chance.uniform(0, LONGEST_PAUSE))
        actions: Sequence[Callable[[], Change]] = (
            lambda: write(texts),
            lambda: choose_head(chance.randrange(LAYERS), chance.randrange(HEADS)),
            lambda: choose_view(chance.choice(VIEWS)),
        )
        await load.ask(visitor, chance.choice(actions)())


async def _beside_idle(server: Server, texts: Texts) -> Row:
    """One who works, alone and beside sessions that have the page open and do nothing, in turn."""
    alone, beside = Load(), Load()
    async with visitors_of(server, 1) as (one,):
        await show_every_view(one, texts)
        await one.act(choose_view(VIEWS[0]))
        for _ in range(BLOCKS):
            await _write_some(one, texts, alone)
            async with visitors_of(server, IDLE):
                await _write_some(one, texts, beside)
    if alone.errors or beside.errors:
        return _row("a new text", None, target=IDLE_RATIO, note=f"does not: {(alone.errors + beside.errors)[0]}")
    return Row(
        part=PART,
        what=f"a new text, beside {IDLE} who have the page open, over alone",
        ours=1e3 * median(beside.seconds),
        other=1e3 * median(alone.seconds),
        tokens=TOKENS,
        n=len(beside.seconds),
        target=IDLE_RATIO,
    )


async def _write_some(visitor: Visitor, texts: Texts, load: Load) -> None:
    for _ in range(ACTIONS_BESIDE_IDLE):
        await load.ask(visitor, write(texts))


async def show_every_view(visitor: Visitor, texts: Texts) -> None:
    """So that what is imported and loaded once counts for nobody."""
    for view in VIEWS:
        await visitor.act(choose_view(view))
        await visitor.act(write(texts))


@asynccontextmanager
async def visitors_of(server: Server, number: int) -> AsyncIterator[list[Visitor]]:
    """So many sessions, whose pages have been opened one after the other."""
    async with AsyncExitStack() as stack:
        visitors = [await stack.enter_async_context(visit(server.url)) for _ in range(number)]
        for visitor in visitors:
            await visitor.open()
        yield visitors


def _row(what: str, ours: float | None, *, unit: str = "ms", n: int = 1, target: str = "", note: str = "") -> Row:
    return Row(
        part=PART, what=what, ours=ours, tokens=TOKENS, unit=unit, n=n, target=target, judged_by="ours", note=note
    )
