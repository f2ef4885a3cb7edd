"""Middleware that serves the page's HTML and the browser's code, Streamlit's and our components', in one read per file.

Streamlit reads a file in a thread, 64 kB at a time, and each step waits for the GIL, which imports hold during a cold
start: the first hundred files took twice as long. Without this middleware Streamlit serves the same files.
"""

from __future__ import annotations

from mimetypes import guess_type

from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from viz.components.registered import files_of_components
from viz.page.direct import path_on_server
from viz.streamlit_internals import frontend_folder

COMPONENTS = "_stcore/bidi-components"  # where the browser looks for the code of components
IMMUTABLE = "public, immutable, max-age=31536000"  # names contain a hash of the contents; as Streamlit sends it
REVALIDATED = "public"
NOT_CACHED = "no-cache"
COMPRESSION = 5  # of 9: 3 ms for what every page fetches, 174 kB to 68


class StaticFiles:
    """Middleware, because Streamlit reserves these addresses and allows no route for them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._files = {
            path_on_server(f"{COMPONENTS}/{name}"): (path, REVALIDATED) for name, path in files_of_components().items()
        }
        if root := frontend_folder():
            self._files[path_on_server("")] = root / "index.html", NOT_CACHED
            for path in (root / "static").rglob("*"):
                if path.is_file():
                    self._files[path_on_server(path.relative_to(root).as_posix())] = path, IMMUTABLE

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a file, or pass the request on."""
        requested = scope["path"] if scope["type"] == "http" and scope["method"] == "GET" else None
        response = self._app
        if requested in self._files:
            path, cache_control = self._files[requested]
            content = path.read_bytes()  # in the event loop: a thread would wait for the GIL
            response = Response(content, media_type=guess_type(path.name)[0], headers={"Cache-Control": cache_control})
            if cache_control != IMMUTABLE:
                response = GZipMiddleware(response, compresslevel=COMPRESSION)
        await response(scope, receive, send)
