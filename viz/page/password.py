"""The password of a shared server: middleware that answers nothing else until it is given.

It covers all of the server: the page's files and its websocket, its own routes, uploads and downloads. A browser that
sends the password gets a cookie, which is a date and a salt, signed with a key that is derived from the password: so
several copies of the page with one password accept it, and guessing the password from a stolen cookie is slow.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import secrets
import time
from html import escape
from http import HTTPStatus
from pathlib import Path
from urllib.parse import parse_qs

from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from viz.computing import events
from viz.page.direct import path_on_server
from viz.permitted import PASSWORD_FILE, framing_sites, read_password

COOKIE = "headlight_password"
FIELD = "password"
SIGN_OUT = "headlight/sign-out"
FORM = Path(__file__).with_name("password.html")
MOST_BYTES = 4_000  # of a form
HOURS = 24  # that a browser stays signed in
FREE_GUESSES, LONGEST_WAIT = 5, 10.0  # wrong ones of an address, and the seconds until the next one after many
MOST_ADDRESSES = 10_000  # whose guesses are counted
WRONG = "This is not the password."
TOO_MANY = "Too many wrong passwords came from this address. Wait for {:.0f} s."

logger = logging.getLogger(__name__)


def middleware() -> list[Middleware]:
    """The middleware of a server that asks for a password; none for any other."""
    file = os.environ.get(PASSWORD_FILE)
    return [Middleware(Password, file=Path(file))] if file else []


class Password:
    """Middleware around all other middleware but `viz.page.bounds`, which answers what a proxy asks."""

    def __init__(self, app: ASGIApp, *, file: Path) -> None:
        """Read the password.

        Raises:
            LaunchError: the file cannot be read, or holds no password.
        """
        self._app = app
        self._health, self._sign_out = path_on_server("_stcore/health"), path_on_server(SIGN_OUT)
        self._password = read_password(file).encode()
        self._key = hashlib.scrypt(self._password, salt=COOKIE.encode(), n=2**14, r=8, p=1)
        self._wrong: dict[str, tuple[int, float]] = {}  # by address: how many, and when the next one is read

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on if its browser has given the password."""
        answer = self._app
        if scope["type"] == "http" and scope["path"] == self._sign_out:
            answer = RedirectResponse(path_on_server(""), HTTPStatus.SEE_OTHER)
            _set_cookie(answer, "", scope, max_age=0)
        elif scope["type"] in ("http", "websocket") and scope["path"] != self._health and not self._is_known(scope):
            answer = WebSocketClose() if scope["type"] == "websocket" else await self._ask(Request(scope, receive))
        await answer(scope, receive, send)

    def _is_known(self, scope: Scope) -> bool:
        signed, _, proof = HTTPConnection(scope).cookies.get(COOKIE, "").rpartition(".")
        until = signed.partition(".")[0]
        is_signed = hmac.compare_digest(proof.encode(), self._proof(signed).encode())
        return is_signed and until.isdecimal() and time.time() < int(until)

    def _proof(self, signed: str) -> str:
        return hmac.digest(self._key, signed.encode("utf-8", "replace"), hashlib.sha256).hex()

    def _note_wrong(self, address: str, count: int) -> None:
        """Let the next passwords of an address wait, longer each time, and log the wrong one."""
        wait = min(2.0 ** (count - FREE_GUESSES), LONGEST_WAIT) if count >= FREE_GUESSES else 0.0
        self._wrong[address] = count, time.monotonic() + wait
        if len(self._wrong) > MOST_ADDRESSES:
            del self._wrong[next(iter(self._wrong))]
        events.refused("password")
        logger.warning("A wrong password from %s, its number %d.", address, count)

    async def _ask(self, request: Request) -> Response:
        """The form that asks for the password or, for the right one, a redirect to what was wanted."""
        given = await _given(request) if request.method == "POST" else None
        if given is None:
            return _form("")
        address = request.client.host if request.client else ""
        count, next_one = self._wrong.pop(address, (0, 0.0))
        if (wait := next_one - time.monotonic()) > 0:
            self._wrong[address] = count, next_one
            return _form(TOO_MANY.format(wait + 1), HTTPStatus.TOO_MANY_REQUESTS)
        if not hmac.compare_digest(given.encode("utf-8", "replace"), self._password):
            self._note_wrong(address, count + 1)
            return _form(WRONG)
        wanted = f"?{request.url.query}" if request.url.query else "."
        answer = RedirectResponse(wanted, HTTPStatus.SEE_OTHER)
        signed = f"{int(time.time()) + HOURS * 3600}.{secrets.token_hex(16)}"
        _set_cookie(answer, f"{signed}.{self._proof(signed)}", request.scope)
        return answer


def _set_cookie(answer: Response, value: str, scope: Scope, max_age: int | None = None) -> None:
    """Set the cookie, by default until the browser is closed. In a frame of another site, browsers want it Secure."""
    is_framed = bool(framing_sites())
    answer.set_cookie(
        COOKIE,
        value,
        max_age=max_age,
        path=path_on_server(""),
        secure=is_framed or scope["scheme"] == "https",
        httponly=True,
        samesite="none" if is_framed else "lax",
    )


def _form(problem: str, status: HTTPStatus = HTTPStatus.UNAUTHORIZED) -> HTMLResponse:
    form = FORM.read_text(encoding="utf-8").replace("{problem}", escape(problem))
    return HTMLResponse(form, status, headers={"Cache-Control": "no-store"})


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
