"""The picture of a text that is being typed, straight from the worker: no script runs for it.

A run of the page's script takes longer than a short text takes the model. While somebody types, the browser asks here
for the layers that it shows and for the map of all heads; the page's session is told when the keys pause, and draws the
rest. A request names the page's address, which says what a picture follows from, and what is newer in the browser.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from streamlit import config

from encoder.errors import HeadlightError

if TYPE_CHECKING:  # it imports numpy, and the server is to answer before that
    from viz.state.selection import Selection

ROUTE = "headlight/direct"
MOST_BYTES = 1_000_000  # of a request
JSON = "application/json"  # which no page of another server can send without being allowed to
BYTES_OF_A_LENGTH = 4
NOTHING_TO_DRAW = 204
BAD_REQUEST, TOO_LARGE, NOT_JSON = 400, 413, 415

_served: list[str] = []


@dataclass(frozen=True, slots=True)
class Asked:
    """What a browser shows and what is typed there."""

    selection: Selection
    layer: int


def routes() -> list[Route]:
    """What the server of the page answers besides the page."""
    address = path_on_server(ROUTE)
    _served[:] = [address]
    return [Route(address, _answer, methods=["POST"])]


def path_on_server(name: str) -> str:
    """The path of a route, where the server has a path of its own, too."""
    base = config.get_option("server.baseUrlPath").strip("/")
    return f"/{base}/{name}" if base else f"/{name}"


def address() -> str | None:
    """Where a browser finds the route; None where the page is served without it."""
    return _served[0] if _served else None


async def _answer(request: Request) -> Response:
    if request.headers.get("content-type") != JSON:
        return Response(status_code=NOT_JSON)
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            return Response(status_code=TOO_LARGE)
    asked = read(body)
    if asked is None:
        return Response(status_code=BAD_REQUEST)
    drawn = await run_in_threadpool(pictures, asked)
    if drawn is None:
        return Response(status_code=NOTHING_TO_DRAW)
    # Named, so that nothing compresses it: that takes longer than sending it to the next room.
    headers = {"Content-Encoding": "identity"}
    return StreamingResponse(_parts(drawn, asked), media_type="application/octet-stream", headers=headers)


async def _parts(drawn: bytes, asked: Asked) -> AsyncIterator[bytes]:
    """The pictures, and the maps of all heads behind them, which have to wait for the whole run."""
    yield drawn
    yield await run_in_threadpool(maps, asked)


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
            selection, _ = from_query(dict(parse_qsl(query.removeprefix("?"), keep_blank_values=True)))
            texts = {name: without_lone_surrogates(text) for name, text in (("a", a), ("b", b))}
            return Asked(with_values(selection, texts), layer)
    return None


def pictures(asked: Asked) -> bytes | None:
    """The layer of every run on the page, as views draw it; None where there is nothing to draw, or something to say.

    Returns:
        Parts, each behind its length in four bytes, the lowest first. The first part is JSON: `texts`, the texts that
        each run is of; `strips`, what the strip shows of each; `marks`, what the fields mark in theirs; and `messages`,
        how many follow: one for every run, or none where the view draws the map alone.
    """
    from viz.caches import revisions, run_cache
    from viz.computing.worker import beside_the_worker
    from viz.page.runs import run_encoder
    from viz.page.texts import SENTENCES, marks_of_fields
    from viz.panels import PANELS, EncoderPanel
    from viz.panels.common import is_drawn, texts_in
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
    from viz.computing.worker import beside_the_worker
    from viz.page.runs import run_encoder
    from viz.panels.common import heads_message

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
