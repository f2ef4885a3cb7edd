"""The picture of a text that is being typed, straight from the worker: no script runs for it.

A run of the page's script takes longer than a short text takes the model. While somebody types, the browser asks here
for the layers that it shows and for the map of all heads; the page's session is told when the keys pause, and draws the
rest. A request names the page's address, which says what a picture follows from, and what is newer in the browser.

A request whose client has gone does not begin, and what waits is bounded (`viz.page.request_queue`): a browser that is
refused waits for the page.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import parse_qsl

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from encoder.errors import HeadlightError
from viz.computing.worker import DroppedError, beside_the_worker, dropped_when
from viz.page.request_queue import FullError, RequestQueue, Ticket

if TYPE_CHECKING:  # it imports numpy, and the server is to answer before that
    from viz.state.selection import Selection

ROUTE = "headlight/direct"
MOST_BYTES = 1_000_000  # of a request
SECONDS_TO_SEND = 10.0  # for all of it
MOST_IN_A_NAME = 64  # characters of the client's name
AT_ONCE = 2  # requests: while one's run is computed, another's is rendered
MOST_WAITING = 64  # requests, one for each page on which somebody types
JSON = "application/json"  # which no page of another server can send without being allowed to
BYTES_OF_A_LENGTH = 4
NOTHING_TO_DRAW = 204
BAD_REQUEST, TIMED_OUT, TOO_LARGE, NOT_JSON, FULL = 400, 408, 413, 415, 503
TOO_MANY_WAIT = "Too many texts wait for this server. The page itself shows the text as soon as typing pauses."

Drawn = TypeVar("Drawn")

_served: list[str] = []
_numbers = count()  # of requests
_queue = RequestQueue(at_once=AT_ONCE, most_waiting=MOST_WAITING)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a browser shows and what is typed there.

    Attributes:
        client: names the page, where the browser does.
        number: larger than that of any earlier request.
    """

    selection: Selection
    layer: int
    client: str | None
    number: int


def routes() -> list[Route]:
    """What the server of the page answers besides the page."""
    address = path_on_server(ROUTE)
    _served[:] = [address]
    return [Route(address, _answer, methods=["POST"])]


def path_on_server(name: str) -> str:
    """The path of a route, where the server has a path of its own, too."""
    base = st.get_option("server.baseUrlPath").strip("/")
    return f"/{base}/{name}" if base else f"/{name}"


def address() -> str | None:
    """Where a browser finds the route; None where the page is served without it."""
    return _served[0] if _served else None


async def _answer(request: Request) -> Response:
    if request.headers.get("content-type") != JSON:
        return Response(status_code=NOT_JSON)
    try:
        async with asyncio.timeout(SECONDS_TO_SEND):
            body = await _body(request)
    except TimeoutError:
        return Response(status_code=TIMED_OUT, headers={"Connection": "close"})
    except ClientDisconnect:
        return Response(status_code=BAD_REQUEST)  # to nobody
    if body is None:
        return Response(status_code=TOO_LARGE)
    asked = read(body)
    if asked is None:
        return Response(status_code=BAD_REQUEST)
    try:
        drawn = await _in_turn(request, asked, pictures)
    except DroppedError:
        drawn = None
    except FullError:
        return Response(TOO_MANY_WAIT, status_code=FULL, media_type="text/plain", headers={"Retry-After": "1"})
    if drawn is None:
        return Response(status_code=NOTHING_TO_DRAW)
    # Named, so that nothing compresses it: that takes longer than sending it to the next room.
    headers = {"Content-Encoding": "identity"}
    return StreamingResponse(_parts(request, drawn, asked), media_type="application/octet-stream", headers=headers)


async def _body(request: Request) -> bytes | None:
    """What is sent; None where it is too large."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            return None
    return body


async def _parts(request: Request, drawn: bytes, asked: Asked) -> AsyncIterator[bytes]:
    """The pictures, and the maps of all heads behind them, which have to wait for the whole run."""
    yield drawn
    try:
        yield await _in_turn(request, asked, maps)
    except (DroppedError, FullError):  # without the maps, the browser waits for the page
        return


async def _in_turn(request: Request, asked: Asked, draw: Callable[[Asked], Drawn]) -> Drawn:
    """What `draw` returns, called in a thread when it is the request's turn.

    Raises:
        DroppedError: the client has gone, or sent a newer request, before the work began.
        FullError: too many wait.
    """
    address = request.client.host if request.client else ""
    texts = asked.selection.texts
    ticket = Ticket(asked.client or address, number=asked.number, size=len(texts.a) + len(texts.b))

    def work() -> Drawn:
        with dropped_when(ticket.dropped.is_set):
            return draw(asked)

    leaving = asyncio.create_task(_drop_when_client_goes(request, ticket))
    try:
        async with _queue.turn(ticket):
            return await run_in_threadpool(work)
    finally:
        ticket.drop()
        leaving.cancel()


async def _drop_when_client_goes(request: Request, ticket: Ticket) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    ticket.drop()


def read(body: bytes) -> Asked | None:
    """A request; None where it is none."""
    from viz.state.address import from_query  # imports numpy, as what `pictures` takes does
    from viz.state.codecs import without_lone_surrogates
    from viz.state.fields import with_values

    try:
        message = json.loads(body)
    except (ValueError, RecursionError):  # of brackets within brackets
        return None
    match message:
        case {"query": str(query), "texts": {"a": str(a), "b": str(b)}, "layer": int(layer)} if layer >= 0:
            client = message.get("client")
            if client is not None and not (isinstance(client, str) and 0 < len(client) <= MOST_IN_A_NAME):
                return None
            selection, _ = from_query(dict(parse_qsl(query.removeprefix("?"), keep_blank_values=True)))
            texts = {name: without_lone_surrogates(text) for name, text in (("a", a), ("b", b))}
            return Asked(with_values(selection, texts), layer, client, next(_numbers))
    return None


def pictures(asked: Asked) -> bytes | None:
    """The layer of every run on the page, as views draw it; None where there is nothing to draw, or something to say.

    Returns:
        Parts, each behind its length in four bytes, the lowest first. The first part is JSON: `texts`, the texts that
        each run is of; `strips`, what the strip shows of each; `marks`, what the fields mark in theirs; and `messages`,
        how many follow: one for every run, or none where the view draws the map alone.
    """
    from viz.caches import revisions, run_cache
    from viz.page.runs import run_encoder
    from viz.page.texts import SENTENCES, marks_of_fields
    from viz.panels import PANELS, EncoderPanel
    from viz.panels.canvas import texts_in
    from viz.panels.units import is_drawn
    from viz.payloads.tokens import payload

    selection = asked.selection
    panel = PANELS[selection.view]
    if not isinstance(panel, EncoderPanel) or not panel.in_browser or not run_cache.is_loaded(selection.model):
        return None
    name = revisions.current(selection.model)
    drawing: AbstractContextManager[None]
    try:
        if selection.draws_weights:  # which are known of a layer when the run has reached it
            traces = run_encoder(name, selection, partial(run_cache.trace_until, layer=asked.layer))
            drawing = beside_the_worker()  # it is busy with the rest of the run
        else:
            traces, drawing = run_encoder(name, selection), nullcontext()
        with drawing:
            if panel.layers and not all(asked.layer < trace.num_layers for trace in traces.values()):
                return None  # the browser has not heard yet that the model is another one
            if not all(is_drawn(trace, selection) for trace in traces.values()):
                return None
            drawn = [panel.layers(trace, selection, (asked.layer,)) for trace in traces.values() if panel.layers]
    except HeadlightError:  # which the page tells
        return None
    messages = [message.data for message in drawn if message]
    if len(messages) < len(drawn):
        return None
    tokens_of = {place: trace.tokens for place, trace in traces.items()}
    told = {
        "texts": [texts_in(place) for place in traces],
        "strips": [
            payload(tokens, sentence=None if len(traces) == 1 else index, run=place)
            for index, (place, tokens) in enumerate(tokens_of.items())
        ],
        "marks": marks_of_fields(SENTENCES, tokens_of.values()),
        "messages": len(messages),
    }
    return _joined(json.dumps(told).encode(), *messages)


def maps(asked: Asked) -> bytes:
    """The map of all heads of every run on the page, as parts like those of `pictures`; nothing where it has none."""
    from viz.page.runs import run_encoder
    from viz.panels.canvas import heads_message

    selection = asked.selection
    if selection.stage and selection.view != "model view":
        return b""
    try:
        traces = run_encoder(selection.model, selection)
        with beside_the_worker():  # which may be busy with the next text
            return _joined(*(heads_message(trace, selection)[0].data for trace in traces.values()))
    except HeadlightError:  # which the page tells
        return b""


def _joined(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(BYTES_OF_A_LENGTH, "little") + part for part in parts)
