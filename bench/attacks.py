"""Clients that ask for much and go away, next to a visitor who types three words.

The attacks are those that were found against the app: closed requests of long texts, half-sent bodies, closed tabs with
jobs. Every row is a ratio or compares with an idle server, because an attack needs as much of the machine as it gets.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from statistics import median
from time import perf_counter
from urllib.parse import urlsplit

from bench.context import Context
from bench.load import in_a_thread, message_of
from bench.measure import Row
from bench.server import Server
from bench.texts import Texts
from bench.visitor import Visitor, pressed, put, visit
from viz.page.direct import JSON, ROUTE

PART = "Clients that go away, bundled model"
CLOSED, HALF, TABS = (100, 200), 400, 4
SHORT, LONGEST = 5, 256  # tokens: three words, and the longest text that is read
TAB_TOKENS, SEARCH_TOKENS = 49, 402  # of the closed tabs, and of the largest search
PROBES, ALONE = 10, 5
SECONDS_UNTIL_IDLE, SECONDS_OF_IDLE = 10.0, 4.0
WITHIN, IDLE, NONE = "≤ 1", "≤ 0.2", "≤ 0"
UNTIL_CLOSED = 30.0  # seconds for half-sent bodies to be refused


def rows(context: Context) -> Iterator[Row]:
    """Each attack on a server of its own."""
    for many in CLOSED:
        with context.app() as server:
            yield from in_a_thread(_closed_requests(server, context.texts, many))
    with context.app() as server:
        yield from in_a_thread(_half_bodies(server, context.texts, context.folder / "app.log"))
    with context.app() as server:
        yield from in_a_thread(_closed_tabs(server, context.texts))
    with context.app() as server:
        yield from in_a_thread(_largest_search(server, context.texts))


class Probe:
    """A visitor who types three words at a time, and what that may take.

    Attributes:
        limit: seconds: the visitor alone, plus one request of the longest text alone.
        direct_limit: the same of requests that the page's script has no part in.
    """

    def __init__(self, server: Server, visitor: Visitor, texts: Texts) -> None:
        self._server, self._visitor, self._texts = server, visitor, texts
        self.limit = self.direct_limit = 0.0

    async def measure_alone(self) -> None:
        """Set the limits; the first of everything is not counted."""
        await self._visitor.open()
        typed = [await self._type() for _ in range(1 + ALONE)][1:]
        asked = [await self._ask(SHORT) for _ in range(1 + ALONE)][1:]
        longest = median([await self._ask(LONGEST) for _ in range(1 + ALONE)][1:])
        self.limit, self.direct_limit = median(typed) + longest, median(asked) + longest

    async def rows(self, what: str) -> list[Row]:
        """How long the slowest new text takes while something else goes on."""
        typed, asked = [], []
        for _ in range(PROBES):
            typed.append(await self._type())
            asked.append(await self._ask(SHORT))
        against = "over alone plus one run of the longest text"
        return [
            _row(f"{what}: the slowest new text of another, {against}", max(typed), self.limit),
            _row(f"{what}: the slowest picture while another types, {against}", max(asked), self.direct_limit),
        ]

    async def _type(self) -> float:
        message = message_of(a=self._texts.new(SHORT), b="")
        return (await self._visitor.act(put("texts_a_b", "selection", message))).seconds

    async def _ask(self, tokens: int) -> float:
        """Seconds of a request for a new text's pictures."""
        started = perf_counter()
        reader, writer = await _connect(self._server)
        writer.write(_post(self._server, self._texts.new(tokens)))
        await reader.read()
        writer.close()
        return perf_counter() - started


@asynccontextmanager
async def _probe(server: Server, texts: Texts) -> AsyncIterator[Probe]:
    async with visit(server.url) as visitor:
        probe = Probe(server, visitor, texts)
        await probe.measure_alone()
        yield probe


async def _closed_requests(server: Server, texts: Texts, many: int) -> list[Row]:
    async with _probe(server, texts) as probe:
        for _ in range(many):
            _, writer = await _connect(server)
            writer.write(_post(server, texts.new(LONGEST)))
            await writer.drain()
            writer.close()
        return await probe.rows(f"{many} requests of the longest text, closed at once")


async def _half_bodies(server: Server, texts: Texts, log: Path) -> list[Row]:
    what = f"{HALF} half-sent requests"
    async with _probe(server, texts) as probe:
        connections = []
        for _ in range(HALF):
            connections.append(await _connect(server))
            request = _post(server, texts.new(LONGEST))
            connections[-1][1].write(request[: -LONGEST // 2])
        measured = await probe.rows(what)
        for _, writer in connections[: HALF // 2]:
            writer.close()
        reading = [asyncio.create_task(reader.read()) for reader, _ in connections[HALF // 2 :]]
        _, still_open = await asyncio.wait(reading, timeout=UNTIL_CLOSED)
        for task in still_open:
            task.cancel()
    tracebacks = log.read_text(encoding="utf-8").count("Traceback")
    return [
        *measured,
        _count(f"{what}: open after {UNTIL_CLOSED:.0f} s, of {HALF // 2} that wait", len(still_open)),
        _count(f"{what}: tracebacks in the log, of {HALF // 2} that go away", tracebacks),
    ]


async def _closed_tabs(server: Server, texts: Texts) -> list[Row]:
    what = f"{TABS} tabs of “Why?”, {TAB_TOKENS} tokens"
    async with _probe(server, texts) as probe, AsyncExitStack() as tabs:
        for _ in range(TABS):
            tab = await tabs.enter_async_context(visit(server.url, view="why", a=texts.new(TAB_TOKENS), b=""))
            await tab.open()
        measured = await probe.rows(what)
    return [*measured, await _idle(server, what)]


async def _largest_search(server: Server, texts: Texts) -> list[Row]:
    what = f"“Why?” of {SEARCH_TOKENS} tokens, with every job that is offered"
    long_text = texts.new(SEARCH_TOKENS)
    async with _probe(server, texts) as probe, visit(server.url, view="why", a=long_text, b="") as tab:
        await tab.open()
        for button in [key for key in tab.widgets if key.endswith("_begin")]:
            await tab.act(pressed(button))
        measured = await probe.rows(what)
    return [*measured, await _idle(server, what)]


async def _idle(server: Server, what: str) -> Row:
    """CPU seconds of the server some time after the last tab is closed."""
    await asyncio.sleep(SECONDS_UNTIL_IDLE)
    before = server.cpu_seconds()
    await asyncio.sleep(SECONDS_OF_IDLE)
    used = server.cpu_seconds() - before
    what = f"{what}: CPU of the server in {SECONDS_OF_IDLE:.0f} s, {SECONDS_UNTIL_IDLE:.0f} s after the last tab closed"
    return Row(part=PART, what=what, ours=used, unit="s", target=IDLE, judged_by="ours")


async def _connect(server: Server) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    address = urlsplit(server.url)
    return await asyncio.open_connection(address.hostname, address.port)


def _post(server: Server, text: str) -> bytes:
    """A request for the pictures of a text, from a page of its own."""
    body = json.dumps({"query": "", "texts": {"a": text, "b": ""}, "layer": 0, "client": os.urandom(8).hex()}).encode()
    head = [f"POST /{ROUTE} HTTP/1.1", f"Host: {urlsplit(server.url).netloc}", f"Content-Type: {JSON}"]
    head += [f"Content-Length: {len(body)}", "Connection: close", "", ""]
    return "\r\n".join(head).encode() + body


def _row(what: str, ours: float, other: float) -> Row:
    return Row(part=PART, what=what, ours=1e3 * ours, other=1e3 * other, tokens=SHORT, n=PROBES, target=WITHIN)


def _count(what: str, ours: int) -> Row:
    return Row(part=PART, what=what, ours=ours, unit="", target=NONE, judged_by="ours")
