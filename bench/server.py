"""Streamlit servers, started and stopped."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from viz.launch import HOST, free_port

ROOT = Path(__file__).parents[1]
SECONDS_TO_START = 180
MB = 1e6


@dataclass(frozen=True, slots=True)
class Server:
    """A running server; `started` is when its process was made, in seconds since 1970."""

    url: str
    pid: int
    started: float

    def resident(self) -> float:
        """Its resident memory in MB (10^6 bytes). Linux only; 0 elsewhere."""
        status = Path(f"/proc/{self.pid}/status")
        return memory_in(status.read_text(encoding="utf-8"), "VmRSS") if status.exists() else 0.0

    def cpu_seconds(self) -> float:
        """What its threads have used of the cores so far. Linux only; 0 elsewhere."""
        stat = Path(f"/proc/{self.pid}/stat")
        if not stat.exists():
            return 0.0
        user, system = stat.read_text(encoding="utf-8").rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def memory_in(status: str, name: str) -> float:
    """MB (10^6 bytes) of memory, resident ("VmRSS") or its peak ("VmHWM"), from the text of /proc/PID/status."""
    kibibytes = next(line.split()[1] for line in status.splitlines() if line.startswith(f"{name}:"))
    return int(kibibytes) * 1024 / MB


@contextmanager
def serve(script: Path, log: Path, variables: Mapping[str, str] | None = None) -> Iterator[Server]:
    """`streamlit run` on a free port, from this project's folder and with its settings, until the block ends.

    Args:
        variables: of the environment, beside those that are there.
    """
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.headless=true"]
    command += [f"--server.port={port}", f"--server.address={HOST}"]
    environment = {"HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT)} | dict(variables or {})
    with running(command, f"http://{HOST}:{port}", log, variables=environment, health="/_stcore/health") as server:
        yield server


@contextmanager
def running(
    command: Sequence[str], url: str, log: Path, *, variables: Mapping[str, str] | None = None, health: str = ""
) -> Iterator[Server]:
    """A server, from when it answers until the block ends.

    Args:
        command: starts it.
        variables: of the environment, beside those that are there.
        health: the path below `url` that answers once it has started.
    """
    environment = os.environ | dict(variables or {})
    with log.open("w", encoding="utf-8") as output:
        started = time.time()
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT)
    try:
        _wait_until_healthy(f"{url}{health}", process, log)
        yield Server(url=url, pid=process.pid, started=started)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_healthy(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.02)
    raise RuntimeError(f"The server did not start:\n{log.read_text(encoding='utf-8')}")
