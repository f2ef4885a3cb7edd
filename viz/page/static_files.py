"""The page's HTML and the browser's code, Streamlit's and that of our components, each file read in one go.

Streamlit hands a file from thread to thread for every 64 kB of it, and each of these steps waits for what the
interpreter is doing, which at the start is importing: the page's first hundred files took it twice as long.
"""

from __future__ import annotations

from mimetypes import guess_type
from pathlib import Path

from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import file_util
from streamlit.web.server.starlette.starlette_server_config import GZIP_COMPRESSLEVEL, GZIP_MINIMUM_SIZE

from viz.components.registered import files_of_components
from viz.page.direct import path_on_server

FOLDER = "static"
COMPONENTS = "_stcore/bidi-components"
FOR_GOOD = "public, immutable, max-age=31536000"  # their names change with their contents, as Streamlit says of them
EACH_TIME = "public"  # fetched with every page
NEVER = "no-cache"


class StaticFiles:
    """Answers what asks for one of these files, before the server's routes, where Streamlit lets nobody put any."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        root = Path(file_util.get_static_dir())
        files = (path for path in (root / FOLDER).rglob("*") if path.is_file())
        self._files = {path_on_server(path.relative_to(root).as_posix()): (path, FOR_GOOD) for path in files}
        for name, path in files_of_components().items():
            self._files[path_on_server(f"{COMPONENTS}/{name}")] = path, EACH_TIME
        self._files[path_on_server("")] = root / "index.html", NEVER

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        asked = scope["path"] if scope["type"] == "http" and scope["method"] == "GET" else None
        if asked in self._files:
            path, kept = self._files[asked]
            content = path.read_bytes()  # in a thread it would wait for the interpreter
            answer: ASGIApp = Response(content, media_type=guess_type(path.name)[0], headers={"Cache-Control": kept})
            if kept != FOR_GOOD:
                answer = _compressed(answer)
        else:
            answer = self._app
        await answer(scope, receive, send)


def _compressed(answer: ASGIApp) -> ASGIApp:
    """Where the browser takes it: of what every page fetches, 68 kB in place of 174."""
    return GZipMiddleware(answer, minimum_size=GZIP_MINIMUM_SIZE, compresslevel=GZIP_COMPRESSLEVEL)
