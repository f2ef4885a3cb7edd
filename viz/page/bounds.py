"""Middleware around the whole server, also around the password: what holds for every visitor.

- A number of pages may be open. Beyond it a new visitor gets a sentence, and a proxy is told to send nobody else.
- Streamlit takes uploads from every page, and counts none: here one at a time from a page, and so many bytes in all.
- Only sites that are named may show the page in a frame: Streamlit posts the address, and so the texts, to the parent.
- An address that cannot be read in a header is no error of the server.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from html import escape
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from viz.computing import events
from viz.page.direct import path_on_server
from viz.permitted import framing_sites
from viz.streamlit_internals import secret_in, upload_manager

READY: Final = "headlight/ready"
MOST_UPLOADED: Final = 200_000_000  # bytes of all uploads that arrive, or that pages have not read
SECONDS_TO_READ: Final = 120.0  # in which the page's script reads an upload
BAD_REQUEST, NOT_FOUND, BUSY, UNAVAILABLE, TRY_LATER = 400, 404, 429, 503, 1013
FULL: Final = "As many pages are open as this server can take. Try again in a minute, or close a page."
ENDING: Final = "This server ends, or starts again. Try again in a minute."
UPLOADS_FULL: Final = "Others are uploading as much as this server can take: try again in a minute."
ONE_UPLOAD: Final = "This page is uploading a file already."


class Pages:
    """The pages that are open, and whether another one may be.

    Attributes:
        most: how many may be open.
        browsers: the pages of each browser.
        is_ending: whether the server ends.
    """

    def __init__(self, most: int) -> None:
        self.most, self.browsers, self.is_ending = most, Counter[str](), False

    @property
    def refusal(self) -> str:
        """Why no other page can be opened; "" if one can."""
        if self.is_ending:
            return ENDING
        return FULL if self.browsers.total() >= self.most else ""


class Bounds:
    """The middleware."""

    def __init__(self, app: ASGIApp, *, pages: Pages) -> None:
        """Read the settings.

        Args:
            pages: those of the server.
        Raises:
            LaunchError: a site that may frame the page is no origin.
        """
        self._app = app
        self._pages = pages
        self._stream, self._ready = path_on_server("_stcore/stream"), path_on_server(READY)
        self._uploads = path_on_server("_stcore/upload_file/")
        self._page = path_on_server("")
        self._arriving: dict[str, int] = {}  # bytes of the upload of each session
        self._releases: dict[str, asyncio.TimerHandle] = {}  # of what each session uploaded
        self._policy = " ".join(("frame-ancestors 'self'", *framing_sites()))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] == "websocket":
            await self._open_page(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, self._framed(send))
        else:
            await self._app(scope, receive, send)

    async def _open_page(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _is_readable(scope):
            await WebSocketClose()(scope, receive, send)
        elif scope["path"] != self._stream:
            await self._app(scope, receive, send)
        elif refusal := self._pages.refusal:
            events.refused("full")
            await WebSocketClose(TRY_LATER, refusal)(scope, receive, send)
        else:

            async def binary() -> Message:
                message = await receive()  # pages send no text, and Streamlit fails at one
                return message if message.get("text") is None else {"type": "websocket.disconnect", "code": 1003}

            browser = _browser_of(scope)
            self._pages.browsers[browser] += 1
            events.report("page opened")
            try:
                with events.reported("page closed"):
                    await self._app(scope, binary, send)
            finally:
                self._pages.browsers[browser] -= 1
                self._pages.browsers += Counter()  # without those that have none

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, answer = scope["path"], self._app
        if not _is_readable(scope):
            answer = PlainTextResponse("The Origin or the Host of this request is no address.", BAD_REQUEST)
        elif path == self._ready:  # 404 means to HAProxy: those who are here stay, and nobody else comes
            answer = PlainTextResponse("full", NOT_FOUND) if self._pages.refusal else PlainTextResponse("ready")
        elif self._pages.refusal and scope["method"] == "GET" and path.rstrip("/") == self._page.rstrip("/"):
            page = f"<!doctype html><title>Headlight</title><p>{escape(self._pages.refusal)}</p>"
            answer = HTMLResponse(page, UNAVAILABLE, {"Retry-After": "60"})
        elif scope["method"] == "PUT" and path.startswith(self._uploads):
            session = path.removeprefix(self._uploads).partition("/")[0]
            await self._upload(session, scope, receive, send)
            return
        await answer(scope, receive, send)

    async def _upload(self, session: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an upload on, in place of the session's earlier ones, as long as there is room."""
        if session in self._arriving:
            events.refused("second upload")
            await PlainTextResponse(ONE_UPLOAD, BUSY)(scope, receive, send)
            return
        self._release(session)
        self._arriving[session] = 0

        async def counted() -> Message:
            message = await receive()
            self._arriving[session] += len(message.get("body", b""))
            if bytes_held() + sum(self._arriving.values()) > MOST_UPLOADED:
                events.refused("uploads full")
                raise HTTPException(UNAVAILABLE, UPLOADS_FULL)
            return message

        try:
            await self._app(scope, counted, send)
        finally:
            events.report("upload", bytes=self._arriving.pop(session))
            loop = asyncio.get_running_loop()
            self._releases[session] = loop.call_later(SECONDS_TO_READ, self._release, session)

    def _release(self, session: str) -> None:
        """Drop the files that a session uploaded; others may name it, but each has a secret name."""
        if session in self._releases and (manager := upload_manager()):
            self._releases.pop(session).cancel()
            manager.remove_session_files(session)

    def _framed(self, send: Send) -> Send:
        """The same, with the policy of frames on documents, and cookies that browsers keep in frames of other sites."""

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for at, (name, value) in enumerate(headers.raw):
                    if name == b"set-cookie" and b"samesite=none" in value.lower():
                        headers.raw[at] = name, value + b"; Partitioned"  # which http.cookies knows from Python 3.14 on
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append("Content-Security-Policy", self._policy)
            await send(message)

        return answer


def bytes_held() -> int:
    """Of the uploads that pages have not read."""
    manager = upload_manager()
    files = [] if manager is None else [*manager.file_storage.values()]
    return sum(len(file.data) for of_session in files for file in [*of_session.values()])


def _browser_of(scope: Scope) -> str:
    """What the pages of one browser have in common: its secret, or the address of one without cookies."""
    client = scope.get("client") or ("",)
    return secret_in(HTTPConnection(scope).cookies) or str(client[0])


def _is_readable(scope: Mapping[str, object]) -> bool:
    """Whether Origin and Host can be parsed, as Streamlit and Starlette do without asking."""
    headers = Headers(scope=dict(scope))
    try:
        for address in (headers.get("origin", ""), f"//{headers.get('host', '')}"):
            _ = urlsplit(address).port
    except ValueError:
        return False
    return True


def middleware(pages: Pages) -> list[Middleware]:
    """The middleware of a server with these pages."""
    return [Middleware(Bounds, pages=pages)]
