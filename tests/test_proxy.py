"""HAProxy with the configuration that deploy/ offers: whom it lets in."""

import base64
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import Message
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from tests.browser.pages.copies import CONFIGURATION, HAPROXY
from viz.launch import HOST, free_port
from viz.page.bounds import READY

pytestmark = pytest.mark.skipif(
    HAPROXY is None, reason="HAProxy is not installed (on Debian: apt-get install haproxy); with it this runs"
)

SECONDS_TO_START = 30
LOVELACE = "$5$headlight$12z/FT44I3lSnkSSQfYf4Umt.vGhm1NUQw7xddTU429"  # openssl passwd -5 -salt headlight lovelace
PATHS = ("/", "/?a=a+text", "/_stcore/health", "/_stcore/stream", "/headlight/direct", "/media/a.html")


class Copy(BaseHTTPRequestHandler):
    """Answers every request, and notes its headers by its path; once it is full, it says so to the proxy."""

    asked: ClassVar[dict[str, Message]] = {}
    is_full = False

    def do_GET(self) -> None:
        self.asked[self.path] = self.headers
        self.send_response(404 if self.is_full and self.path.endswith(READY) else 200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def proxied(folder: Path, variables: dict[str, str]) -> Iterator[int]:
    """The port of a proxy in front of one copy."""
    copy, port = ThreadingHTTPServer((HOST, 0), Copy), free_port()
    threading.Thread(target=copy.serve_forever, daemon=True).start()
    address = f"{HOST}:{copy.server_port}"
    addresses = {"HEADLIGHT_BIND": f"{HOST}:{port}", "HEADLIGHT_COPY_1": address, "HEADLIGHT_COPY_2": address}
    with (folder / "haproxy.txt").open("wb") as log:
        command = [str(HAPROXY), "-db", "-f", str(CONFIGURATION)]
        proxy = subprocess.Popen(command, env=os.environ | addresses | variables, stdout=log, stderr=subprocess.STDOUT)
    try:
        until = time.monotonic() + SECONDS_TO_START
        while status(port, "/") is None:
            assert time.monotonic() < until, (folder / "haproxy.txt").read_text(encoding="utf-8")
            time.sleep(0.05)  # between two questions
        yield port
    finally:
        proxy.terminate()
        proxy.wait()
        copy.shutdown()
        copy.server_close()


def status(port: int, path: str, signed_in_as: str | None = None, **headers: str) -> int | None:
    """The status of an answer; None if nothing listens."""
    connection = HTTPConnection(HOST, port, timeout=10)
    sent = headers
    if signed_in_as is not None:
        sent["Authorization"] = f"Basic {base64.b64encode(signed_in_as.encode()).decode()}"
    try:
        connection.request("GET", path, headers=sent)
        return connection.getresponse().status
    except ConnectionRefusedError:
        return None
    finally:
        connection.close()


def test_a_proxy_with_a_user_asks_for_the_name_and_the_password(tmp_path: Path) -> None:
    with proxied(tmp_path, {"HEADLIGHT_USER": "ada", "HEADLIGHT_PASSWORD_HASH": LOVELACE}) as port:
        for path in PATHS:
            assert status(port, path) == 401
            assert status(port, path, "ada:byron") == 401
            assert status(port, path, "charles:lovelace") == 401
            assert status(port, path, "ada:lovelace") == 200


def test_a_proxy_without_a_user_asks_nobody(tmp_path: Path) -> None:
    with proxied(tmp_path, {}) as port:
        assert [status(port, path) for path in PATHS] == [200] * len(PATHS)


def test_copies_below_a_path_are_checked_there_and_told_whom_they_serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Copy, "asked", {})
    with proxied(tmp_path, {"HEADLIGHT_BASE_PATH": "/tools"}) as port:
        spoofed = {"X-Forwarded-For": "192.0.2.7", "X-Forwarded-Proto": "https"}
        assert status(port, "/tools/", **spoofed) == 200
        assert Copy.asked["/tools/"].get_all("X-Forwarded-For") == [HOST]
        assert Copy.asked["/tools/"].get_all("X-Forwarded-Proto") == ["http"]
        assert status(port, "/tools/_stcore/metrics") == 404
        wait_for(lambda: f"/tools/{READY}" in Copy.asked)


def test_a_full_copy_keeps_its_visitors_and_gets_no_new_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with proxied(tmp_path, {}) as port:
        monkeypatch.setattr(Copy, "is_full", True)
        wait_for(lambda: status(port, "/") == 503)
        assert status(port, "/", Cookie="HEADLIGHT=one") == 200
        monkeypatch.setattr(Copy, "is_full", False)
        wait_for(lambda: status(port, "/") == 200)


def wait_for(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + SECONDS_TO_START
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.05)  # between two questions
