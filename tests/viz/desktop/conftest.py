"""A screen that nobody sees, for windows that are opened in tests."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest


@pytest.fixture
def screen() -> Iterator[str]:
    """A display of Xvfb."""
    if not sys.platform.startswith("linux") or shutil.which("Xvfb") is None:
        pytest.skip("needs Xvfb, a screen that nobody sees (Debian: xvfb)")
    reading, writing = os.pipe()
    with subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1600x1000x24"],
        pass_fds=(writing,),
        stderr=subprocess.DEVNULL,
    ) as server:
        os.close(writing)
        with open(reading) as display:
            yield f":{display.readline().strip()}"
        server.terminate()
