"""The server's own routes: one answers a text while it is typed, without a run of the page's script.

A run of the script takes longer than a run of the model on a short text. While the user types, the browser requests
here the layers that it shows and the map of all heads; the page's session gets the text when the typing pauses, and
renders the rest. The same is done while the weight of a link is dragged. A request contains the page's address, which
determines the view, and the browser's newer values.

A request is dropped if its client disconnects before it begins, and the number of waiting requests is bounded
(`viz.page.request_queue`). A browser whose request is refused waits for the page.

To the other route, browsers report what they have painted, for runs that wait (`viz.computing.paints`).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
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
from viz.computing import events
from viz.computing.paints import PAINTS
from viz.computing.worker import DroppedError, dropped_when, in_calling_thread
from viz.page.request_queue import FullError, RequestQueue, Ticket
from viz.streamlit_internals import origin_check

if TYPE_CHECKING:  # imports numpy, which would delay the server
    from viz.state.selection import Selection

ROUTE, PAINTED = "headlight/direct", "headlight/painted"
MOST_BYTES = 1_000_000  # of a request
MOST_IN_A_NAME = 64  # characters of the client's name
AT_ONCE = 2  # requests: one may be rendered while another's run is computed
MOST_WAITING = 64  # requests, one for each page whose user types
JSON = "application/json"  # which a page of another origin cannot send without permission
BYTES_OF_A_LENGTH = 4
RECEIVED = NOTHING_TO_DRAW = 204
BAD_REQUEST, FOREIGN, TOO_LARGE, NOT_JSON, FULL = 400, 403, 413, 415, 503
TOO_MANY_WAIT = "The server is busy. The page will show the text once typing pauses."

Drawn = TypeVar("Drawn")

_served: list[str] = []
_numbers = count()  # of requests
_queue = RequestQueue(at_once=AT_ONCE, most_waiting=MOST_WAITING)
waiting_and_running = _queue.waiting_and_running


@dataclass(frozen=True, slots=True)
class TextRequest:
    """The selection that a browser shows, with the text that is typed there.

    Attributes:
        client: the name of the page; None if the browser sent none.
        number: larger than that of any earlier request.
    """

    selection: Selection
    layer: int
    client: str | None
    number: int


def routes() -> list[Route]:
    """The routes of this module; a report has its token at the end of its address."""
    address, PAINTS.address = path_on_server(ROUTE), path_on_server(PAINTED)
    _served[:] = [address]
    return [
        Route(address, _answer, methods=["POST"]),
        Route(f"{PAINTS.address}/{{token}}", _receive_report, methods=["POST"]),
    ]


def path_on_server(name: str) -> str:
    """The path of a route, below the server's base path."""
    base = st.get_option("server.baseUrlPath").strip("/")
    return f"/{base}/{name}" if base else f"/{name}"


def address() -> str | None:
    """The path of the route for typed texts; None if the page is served without it."""
    return _served[0] if _served else None


def _is_foreign(request: Request) -> bool:
    """Whether Streamlit would refuse a websocket with this origin and host; clients other than browsers name none."""
    return not origin_check()(request.headers.get("origin"), request.headers.get("host"))


async def _receive_report(request: Request) -> Response:
    if _is_foreign(request):
        return Response(status_code=FOREIGN)
    PAINTS.report(request.path_params["token"])
    return Response(status_code=RECEIVED)


async def _answer(request: Request) -> Response:
    if _is_foreign(request):
        return Response(status_code=FOREIGN)
    if request.headers.get("content-type") != JSON:
        return Response(status_code=NOT_JSON)
    try:
        body = await _body(request)
    except ClientDisconnect:
        return Response(status_code=BAD_REQUEST)  # nobody receives it
    if body is None:
        return Response(status_code=TOO_LARGE)
    wanted = read(body)
    if wanted is None:
        return Response(status_code=BAD_REQUEST)
    try:
        with events.reported("run", view=wanted.selection.view, by="typing", stopped_by=DroppedError):
            drawn = await _in_turn(request, wanted, pictures)
    except DroppedError:
        drawn = None
    except FullError:
        events.refused("typing queue full")
        return Response(TOO_MANY_WAIT, status_code=FULL, media_type="text/plain", headers={"Retry-After": "1"})
    if drawn is None:
        return Response(status_code=NOTHING_TO_DRAW)
    # An explicit encoding prevents compression, which costs more time than it saves on a local network.
    headers = {"Content-Encoding": "identity"}
    return StreamingResponse(_parts(request, drawn, wanted), media_type="application/octet-stream", headers=headers)


async def _body(request: Request) -> bytes | None:
    """The body of a request; None if it is too large."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            return None
    return body


async def _parts(request: Request, drawn: bytes, wanted: TextRequest) -> AsyncIterator[bytes]:
    """The layers, then the maps of all heads, which need the whole run."""
    yield drawn
    try:
        yield await _in_turn(request, wanted, maps)
    except (DroppedError, FullError):  # without the maps, the browser waits for the page
        return


async def _in_turn(request: Request, wanted: TextRequest, draw: Callable[[TextRequest], Drawn]) -> Drawn:
    """What `draw` returns, called in a thread at the request's turn.

    Raises:
        DroppedError: the client disconnected or sent a newer request before the work began.
        FullError: too many requests wait.
    """
    address = request.client.host if request.client else ""
    texts = wanted.selection.texts
    ticket = Ticket(wanted.client or address, number=wanted.number, size=len(texts.a) + len(texts.b))

    def work() -> Drawn:
        with dropped_when(ticket.dropped.is_set):
            return draw(wanted)

    timed = events.timed("typing", work)
    leaving = asyncio.create_task(_drop_when_client_goes(request, ticket))
    try:
        async with _queue.turn(ticket):
            return await run_in_threadpool(timed)
    finally:
        ticket.drop()
        leaving.cancel()


async def _drop_when_client_goes(request: Request, ticket: Ticket) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    ticket.drop()


def read(body: bytes) -> TextRequest | None:
    """The request in a body; None if it is invalid."""
    from viz.state.address import from_query  # imports numpy, as `pictures` does
    from viz.state.codecs import without_lone_surrogates

    try:
        message = json.loads(body)
    except (ValueError, RecursionError):  # of deeply nested brackets
        return None
    match message:
        case {"query": str(query), "texts": {"a": str(a), "b": str(b)}, "layer": int(layer)} if layer >= 0:
            params = dict(parse_qsl(query.removeprefix("?"), keep_blank_values=True))
            if isinstance(message.get("cut"), str):
                params["cut"] = message["cut"]
            client = message.get("client")
            if client is not None and not (isinstance(client, str) and 0 < len(client) <= MOST_IN_A_NAME):
                return None
            selection, _ = from_query(params)
            a, b = map(without_lone_surrogates, (a, b))
            texts = replace(selection.texts, a=a, b=b)
            typed = replace(selection, texts=texts, cuts=selection.cuts if texts == selection.texts else ())
            return TextRequest(typed, layer, client, next(_numbers))
    return None


def pictures(wanted: TextRequest) -> bytes | None:
    """A layer of every run on the page; None if there is nothing to show, or if the page has to show an error.

    Returns:
        Parts, each after its length in four little-endian bytes. The first part is JSON: `texts`, the texts of each
        run; `strips`, the token strip of each; `marks`, those of the text fields; `mapped`, the indices of the runs
        whose maps follow; and `messages`, the number of parts: one for every run, or none if the view shows the map
        only.
    """
    from encoder.runs.trace import excerpts
    from viz.caches import revisions, run_cache
    from viz.page.runs import run_encoder
    from viz.page.texts import SENTENCES, marks_of_fields
    from viz.payloads.tokens import payload
    from viz.state.selection import texts_in
    from viz.views.registered import PANELS
    from viz.widgets.units import is_drawn

    selection = wanted.selection
    panel = PANELS[selection.view]
    if panel.of != "sentences" or not panel.in_browser or not run_cache.is_loaded(selection.model):
        return None
    name = revisions.current(selection.model)
    drawing: AbstractContextManager[None]
    try:
        if selection.draws_weights:  # which are known as soon as the run has computed the layer
            traces = run_encoder(name, selection, partial(run_cache.trace_until, layer=wanted.layer))
            drawing = in_calling_thread()  # the worker is busy with the rest of the run
        else:
            traces, drawing = run_encoder(name, selection), nullcontext()
        traces = excerpts(traces, selection.first)
        with drawing:
            if panel.layers and not all(wanted.layer < trace.num_layers for trace in traces.values()):
                return None  # the browser does not know yet that the model has changed
            if not all(is_drawn(trace, selection) for trace in traces.values()):
                return None
            drawn = [panel.layers(trace, selection, (wanted.layer,)) for trace in traces.values() if panel.layers]
    except HeadlightError:  # which the page shows
        return None
    messages = [message.data for message in drawn if message]
    if len(messages) < len(drawn):
        return None
    tokens_of = {place: trace.tokens for place, trace in traces.items()}
    described = {
        "texts": [texts_in(place) for place in traces],
        "strips": [
            payload(tokens, sentence=None if len(traces) == 1 else index, run=place)
            for index, (place, tokens) in enumerate(tokens_of.items())
        ],
        "marks": marks_of_fields(SENTENCES, tokens_of.values()),
        "mapped": [list(traces).index(place) for place in _mapped(traces, selection)],
        "messages": len(messages),
    }
    return _joined(json.dumps(described).encode(), *messages)


def maps(wanted: TextRequest) -> bytes:
    """The maps of all heads that the page shows, as parts like those of `pictures`; empty without maps."""
    from encoder.runs.trace import excerpts
    from viz.page.runs import run_encoder
    from viz.widgets.canvas import heads_message

    selection = wanted.selection
    if selection.stage and selection.view != "model view":
        return b""
    try:
        traces = excerpts(run_encoder(selection.model, selection), selection.first)
        with in_calling_thread():  # the worker may be busy with the next text
            shown = (traces[place] for place in _mapped(traces, selection))
            return _joined(*(heads_message(trace, selection)[0].data for trace in shown))
    except HeadlightError:  # which the page shows
        return b""


def _mapped(places: Collection[str], selection: Selection) -> Collection[str]:
    """The places of the runs whose maps of all heads the page shows."""
    from viz.widgets.canvas import run_of_map
    from viz.widgets.room import is_at_stop

    return places if is_at_stop(selection) else [run_of_map(places, selection)]


def _joined(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(BYTES_OF_A_LENGTH, "little") + part for part in parts)
