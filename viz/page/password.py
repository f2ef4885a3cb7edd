"""The password of a shared server: middleware that answers nothing else until it is given.

It covers all of the server: the page's files and its websocket, its own routes, uploads and downloads. A browser that
sends the password gets a cookie until it is closed. The cookie is derived from the password, so that several copies of
the page with one password accept it.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from html import escape
from http import HTTPStatus
from pathlib import Path
from urllib.parse import parse_qs

from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from viz.page.direct import path_on_server
from viz.permitted import PASSWORD_FILE, read_password

COOKIE = "headlight_password"
FIELD = "password"
FORM = Path(__file__).with_name("password.html")
MOST_BYTES = 4_000  # of a form
WRONG = "This is not the password."


def middleware() -> list[Middleware]:
    """The middleware of a server that asks for a password; none for any other."""
    file = os.environ.get(PASSWORD_FILE)
    return [Middleware(Password, file=Path(file), health=path_on_server("_stcore/health"))] if file else []


class Password:
    """Middleware around the whole server, outside all other middleware."""

    def __init__(self, app: ASGIApp, *, file: Path, health: str) -> None:
        """Read the password.

        Args:
            health: the path at which a proxy may ask without it whether the server is up.
        Raises:
            LaunchError: the file cannot be read, or is empty.
        """
        self._app = app
        self._health = health
        self._password = read_password(file).encode()
        self._proof = hmac.digest(self._password, COOKIE.encode(), hashlib.sha256).hex()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on if its browser has given the password."""
        answer = self._app
        if scope["type"] in ("http", "websocket") and scope["path"] != self._health and not self._is_known(scope):
            answer = WebSocketClose() if scope["type"] == "websocket" else await self._ask(Request(scope, receive))
        await answer(scope, receive, send)

    def _is_known(self, scope: Scope) -> bool:
        return hmac.compare_digest(HTTPConnection(scope).cookies.get(COOKIE, "").encode(), self._proof.encode())

    async def _ask(self, request: Request) -> Response:
        """The form that asks for the password or, for the right one, a redirect to what was wanted."""
        given = await _given(request) if request.method == "POST" else None
        if given is None or not hmac.compare_digest(given.encode(), self._password):
            form = FORM.read_text(encoding="utf-8").replace("{problem}", escape("" if given is None else WRONG))
            return HTMLResponse(form, HTTPStatus.UNAUTHORIZED, headers={"Cache-Control": "no-store"})
        wanted = f"?{request.url.query}" if request.url.query else "."
        answer = RedirectResponse(wanted, HTTPStatus.SEE_OTHER)
        answer.set_cookie(COOKIE, self._proof, secure=request.url.scheme == "https", httponly=True, samesite="lax")
        return answer


async def _given(request: Request) -> str | None:
    """The password in a form; None if there is no such form."""
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > MOST_BYTES:
                return None
    except ClientDisconnect:
        return None
    values = parse_qs(body.decode("utf-8", "replace"))
    return values[FIELD][0].strip() if FIELD in values else None
