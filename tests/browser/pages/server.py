"""`streamlit run app.py` as the browser tests start it, end it, and start it again."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SECONDS_TO_START = 90


def free_port() -> int:
    """A port of this machine that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class Server:
    """The app's server; what it says is added to the log.

    Attributes:
        environment: variables beside those of the tests.
    """

    port: int
    log: Path
    environment: dict[str, str]
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true"]
        command += [f"--server.port={self.port}", "--server.address=127.0.0.1"]
        with self.log.open("a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=os.environ | self.environment, stdout=log, stderr=subprocess.STDOUT
            )
        until = time.monotonic() + SECONDS_TO_START
        while time.monotonic() < until and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=5):
                    return
            except OSError:
                time.sleep(0.1)  # between two questions, and no test waits here for the page
        pytest.fail(f"the app did not start:\n{self.log.read_text(encoding='utf-8')}")

    def stop(self) -> None:
        """End it, and wait until it has ended."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
