"""Where browsers report that they have painted what they were sent: `viz.computing.paints` says who waits for it."""

from __future__ import annotations

import json

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from viz.computing.paints import PAINTS
from viz.page.direct import BAD_REQUEST, JSON, NOT_JSON, TOO_LARGE, path_on_server

ROUTE = "headlight/painted"
MOST_BYTES = 100  # of a report
RECEIVED = 204


def routes() -> list[Route]:
    """The route of the reports."""
    PAINTS.address = path_on_server(ROUTE)
    return [Route(PAINTS.address, _receive, methods=["POST"])]


async def _receive(request: Request) -> Response:
    if request.headers.get("content-type") != JSON:
        return Response(status_code=NOT_JSON)
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > MOST_BYTES:
                return Response(status_code=TOO_LARGE)
        token = json.loads(body)
    except (ClientDisconnect, ValueError, RecursionError):
        return Response(status_code=BAD_REQUEST)
    PAINTS.report(token)
    return Response(status_code=RECEIVED)
