"""The code of our components on a server of this machine: a browser fetches and compiles it once for all tests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from viz.components.registered import FOLDER as COMPONENTS

KINDS = {".mjs": "text/javascript", ".css": "text/css"}


class Files:
    """Serves `/components/…` from the project's folder, and documents that a test hands in."""

    def __init__(self, port: int) -> None:
        self.origin = f"http://127.0.0.1:{port}/"
        self.documents: list[str] = []

    def add(self, html: str) -> str:
        """The address at which this document is from now on."""
        self.documents.append(html)
        return f"{self.origin}{len(self.documents) - 1}.html"

    def read(self, path: str) -> tuple[bytes, str] | None:
        """A file's bytes and their kind; None where there is none."""
        number = path.removeprefix("/").removesuffix(".html")
        if number.isdecimal() and int(number) < len(self.documents):
            return self.documents[int(number)].encode(), "text/html"
        if path == "/favicon.ico":
            return b"", "image/x-icon"
        file = COMPONENTS / path.removeprefix("/components/")
        if file.suffix in KINDS and file.is_relative_to(COMPONENTS) and file.is_file():
            return file.read_bytes(), KINDS[file.suffix]
        return None


@contextmanager
def serving() -> Iterator[Files]:
    """A server of files, which ends with the block."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # one connection for many files

        def do_GET(self) -> None:
            found = files.read(self.path)
            if found is None:
                self.send_error(404)
                return
            body, kind = found
            self.send_response(200)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store" if kind == "text/html" else "max-age=3600, immutable")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing on the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    files = Files(server.server_port)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield files
    finally:
        server.shutdown()
        server.server_close()
