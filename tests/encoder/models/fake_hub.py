"""A hub on this machine: as much of the Hugging Face hub's protocol as a download of a model needs, and its failures.

Listing: `GET /api/models/ID/revision/main`, `GET /api/models/ID/tree/COMMIT`. Files: `HEAD` and `GET
/ID/resolve/COMMIT/FILE` with `X-Repo-Commit` and `ETag`. Errors are reported by `X-Error-Code`.
"""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Repository:
    """One model's files, and what is wrong with it."""

    files: dict[str, bytes] = field(default_factory=dict)
    gated: bool = False
    broken_off: dict[str, int] = field(default_factory=dict)  # how many bytes of a file ever arrive


@dataclass
class FakeHub:
    """What the server serves, and what was asked of it."""

    endpoint: str = ""
    repositories: dict[str, Repository] = field(default_factory=dict)
    status: int = 200  # of every answer, where it is not 200
    requests: list[tuple[str, str]] = field(default_factory=list)

    def add(self, model_id: str, folder: Path) -> Repository:
        files = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        self.repositories[model_id] = Repository(files)
        return self.repositories[model_id]

    def downloads(self) -> list[str]:
        """Names of the files that were asked for with GET."""
        return [path.rsplit("/", 1)[1] for method, path in self.requests if method == "GET" and "/resolve/" in path]


@contextmanager
def serve() -> Iterator[FakeHub]:
    """Run a hub in a thread, on a port of its own."""
    hub = FakeHub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": hub}))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    hub.endpoint = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    hub: FakeHub

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: a server in a test prints nothing."""

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.hub.requests.append((self.command, path))
        if self.hub.status != 200:
            return self._send(self.hub.status, b"out of order")
        for model_id, repository in self.hub.repositories.items():
            if path == f"/api/models/{model_id}/revision/main":
                return self._send_json({"id": model_id, "sha": COMMIT, "siblings": [], "tags": []})
            if path == f"/api/models/{model_id}/tree/{COMMIT}":
                return self._send_json([_listed(name, data) for name, data in repository.files.items()])
            if path.startswith(folder := f"/{model_id}/resolve/{COMMIT}/"):
                return self._send_file(repository, path.removeprefix(folder))
        return self._send(404, b"", **{"X-Error-Code": "RepoNotFound"})

    def _send_file(self, repository: Repository, name: str) -> None:
        if repository.gated:
            return self._send(403, b"", **{"X-Error-Code": "GatedRepo"})
        if name not in repository.files:
            return self._send(404, b"", **{"X-Error-Code": "EntryNotFound"})
        data = repository.files[name]
        headers = {"X-Repo-Commit": COMMIT, "ETag": f'"{hashlib.sha256(data).hexdigest()}"'}
        if self.command == "GET" and name in repository.broken_off:
            if "Range" in self.headers:  # the line stays dead
                self.close_connection = True
                return None
            return self._send(200, data[: repository.broken_off[name]], length=len(data), **headers)
        return self._send(200, data, **headers)

    def _send_json(self, answer: object) -> None:
        self._send(200, json.dumps(answer).encode(), **{"Content-Type": "application/json"})

    def _send(self, status: int, body: bytes, *, length: int | None = None, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)


def _listed(name: str, data: bytes) -> dict[str, object]:
    return {"type": "file", "path": name, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
