"""A picture of a tour's next stop for the speaker's window, at a route of the server that renders it on demand.

The session names the address of the next stop, which costs nothing. The picture is made when the browser fetches it,
with the speaker's window open: in a thread, one at a time, and without a run of the page's script.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import threading
from collections import OrderedDict
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from viz.page.direct import path_on_server

if TYPE_CHECKING:  # imports numpy, which would delay the server
    from viz.state.selection import Selection
    from viz.tours.tour import Stop

ROUTE = "headlight/still"
MOST = 1_000  # addresses that are valid at a time, those of all sessions
NOT_FOUND, GONE = 404, 204
HEADERS = {
    "Cache-Control": "private, max-age=600",
    "Content-Security-Policy": "sandbox allow-scripts",  # in addition to the document's own
}


class _Still(NamedTuple):
    """The arguments of `viz.page.slides_file.still_file`."""

    stop: Stop
    selection: Selection
    agreed: frozenset[str]


_served: list[str] = []
_secret = secrets.token_bytes(32)
_stills: OrderedDict[str, _Still] = OrderedDict()  # by token, the least recently named first
_lock = threading.Lock()
_turn = asyncio.Semaphore(1)


def routes() -> list[Route]:
    """The route of this module; a picture has its token at the end of its address."""
    _served[:] = [path_on_server(ROUTE)]
    return [Route(f"{_served[0]}/{{token}}", _answer, methods=["GET"])]


def address_of(stop: Stop, selection: Selection, agreed: AbstractSet[str]) -> str:
    """The path of a stop's picture, the same for the same arguments; "" if the page is served without the route.

    Args:
        selection: of the page at the stop.
        agreed: names of models that the user agreed to download, or to read from a folder.
    """
    if not _served:
        return ""
    still = _Still(stop, selection, frozenset(agreed))
    digest = hashlib.blake2b(repr((stop, selection, sorted(agreed))).encode(), key=_secret, digest_size=16)
    token = digest.hexdigest()
    with _lock:
        _stills[token] = still
        _stills.move_to_end(token)
        if len(_stills) > MOST:
            _stills.popitem(last=False)
    return f"{_served[0]}/{token}"


async def _answer(request: Request) -> Response:
    with _lock:
        still = _stills.get(request.path_params["token"])
    if still is None:
        return Response(status_code=NOT_FOUND)
    async with _turn:
        if await request.is_disconnected():  # the speaker is at another stop
            return Response(status_code=GONE)
        content = await run_in_threadpool(_render, still)
    return Response(content, media_type="text/html", headers=HEADERS)


def _render(still: _Still) -> bytes:
    from viz.page.slides_file import still_file  # imports numpy

    return still_file(*still)
