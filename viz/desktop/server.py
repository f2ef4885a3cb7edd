"""The page's server as a process that ends with the window's process: `python -m viz.desktop.server PORT`.

The window's process holds the server's standard input open. The server ends at its end of file, so that it ends even if
the window's process is killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from encoder.errors import LaunchError
from viz.launch import Place, serve, wait_for_server

SECONDS_TO_END = 10


@contextmanager
def serving(port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Serve the page at a port until the block ends; returns when the server answers.

    Raises:
        LaunchError: the server does not start.
    """
    process = subprocess.Popen([sys.executable, "-m", "viz.desktop.server", str(port)], stdin=subprocess.PIPE)
    try:
        if not wait_for_server(Place(port=port), alive=lambda: process.poll() is None):
            raise LaunchError(f"The page's server did not start at port {port}: see its output above.")
        yield process
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.stdin:
        process.stdin.close()
    try:
        process.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _end_with_input() -> None:
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    threading.Thread(target=_end_with_input, name="headlight-window", daemon=True).start()
    serve(Place(port=int(sys.argv[1])))
