"""The route where browsers report what they have painted, for runs that wait (`viz.computing.paints`)."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from viz.computing.paints import PAINTS
from viz.page.direct import path_on_server

ROUTE = "headlight/painted"
RECEIVED = 204


def routes() -> list[Route]:
    """The route of the reports, each with its token at the end of its address."""
    PAINTS.address = path_on_server(ROUTE)
    return [Route(f"{PAINTS.address}/{{token}}", _receive, methods=["POST"])]


async def _receive(request: Request) -> Response:
    PAINTS.report(request.path_params["token"])
    return Response(status_code=RECEIVED)
