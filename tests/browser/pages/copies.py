"""Two copies of the app behind HAProxy, with the configuration that deploy/ offers."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
import urllib.request
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from tests.browser.pages.server import ROOT, SECONDS_TO_START, Server, free_port

CONFIGURATION = ROOT / "deploy" / "haproxy.cfg"
COOKIE = "HEADLIGHT"
# Debian keeps it in a folder that is not on every user's PATH.
HAPROXY = shutil.which("haproxy", path=os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin"]))


@dataclass
class Copies:
    """The copies by the names that the proxy's cookie gives them, and the proxy.

    Attributes:
        broken: the names of the copies that broke down and were not started again.
    """

    folder: Path
    servers: dict[str, Server] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    port: int = field(default_factory=free_port)
    proxy: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The proxy's address."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start both copies, then the proxy, and wait until both are in use."""
        for name in ("one", "two"):
            self.servers[name] = Server(port=free_port(), log=self.folder / f"{name}.txt", environment={})
            self.servers[name].start()
        addresses = {f"HEADLIGHT_COPY_{at}": f"127.0.0.1:{one.port}" for at, one in enumerate(self.servers.values(), 1)}
        environment = os.environ | addresses | {"HEADLIGHT_BIND": f"127.0.0.1:{self.port}"}
        assert HAPROXY is not None
        with (self.folder / "haproxy.txt").open("wb") as log:
            command = [HAPROXY, "-db", "-f", str(CONFIGURATION)]
            self.proxy = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
        self.wait_until_used(*self.servers)

    def stop(self) -> None:
        for server in self.servers.values():
            if server.process is not None:
                server.process.kill()  # one that stands still hears nothing else
                server.process.wait()
        if self.proxy is not None:
            self.proxy.terminate()
            self.proxy.wait()

    def break_down(self, name: str, sent: signal.Signals) -> None:
        """End a copy (SIGKILL), or let it stand still with all its connections open (SIGSTOP)."""
        process = self.servers[name].process
        process.send_signal(sent)
        self.broken.add(name)

    def start_again(self, name: str) -> None:
        """Start a copy that broke down, where it was, and wait until the proxy uses it."""
        process = self.servers[name].process
        process.kill()
        process.wait()
        self.servers[name].start()
        self.wait_until_used(name)
        self.broken.discard(name)

    def wait_until_used(self, *names: str) -> None:
        """Wait until visitors who have no cookie were sent to all of these copies."""
        missing = set(names)
        until = time.monotonic() + SECONDS_TO_START
        while missing and time.monotonic() < until:
            with suppress(OSError), urllib.request.urlopen(self.url, timeout=5) as answer:
                missing.discard(answer.headers.get("Set-Cookie", "").removeprefix(f"{COOKIE}=").partition(";")[0])
            time.sleep(0.1)  # between two questions
        if missing:
            pytest.fail(f"copies that are not used: {missing}\n{(self.folder / 'haproxy.txt').read_text('utf-8')}")

    def serving(self, window: BrowserContext) -> str:
        """The copy that serves a window's pages, as its cookie names it."""
        return next(cookie["value"] for cookie in window.cookies(self.url) if cookie["name"] == COOKIE)
