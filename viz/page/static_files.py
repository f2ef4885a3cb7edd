"""Streamlit's own code for the browser, each file read in one go.

Streamlit hands a file from thread to thread for every 64 kB of it, and each of these steps waits for what the
interpreter is doing, which at the start is importing: the page's first hundred files took it twice as long.
"""

from __future__ import annotations

from mimetypes import guess_type
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from streamlit import file_util

from viz.page.direct import path_on_server

FOLDER = "static"
NOT_FOUND = 404
FOR_GOOD = "public, immutable, max-age=31536000"  # their names change with their contents, as Streamlit says of them


def routes() -> list[Route]:
    """The route of these files."""
    root = Path(file_util.get_static_dir()) / FOLDER
    files = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}

    async def answer(request: Request) -> Response:
        path = files.get(request.path_params["name"])
        if path is None:
            raise HTTPException(NOT_FOUND)
        content = path.read_bytes()  # in a thread it would wait for the interpreter
        return Response(content, media_type=guess_type(path.name)[0], headers={"Cache-Control": FOR_GOOD})

    return [Route(path_on_server(f"{FOLDER}/{{name:path}}"), answer)]
