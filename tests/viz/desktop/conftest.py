"""A virtual screen, and the app's window on it, used by a script."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
UseWindow = Callable[..., subprocess.CompletedProcess[str]]
# Runs behind a script, whose function `use` it calls with the window in a thread of its own.
OPEN_WINDOW = """
import sys, threading
import webview
from viz.desktop import __main__ as desktop

create_window = webview.create_window

def created(*arguments, **options):
    window = create_window(*arguments, **options)
    threading.Thread(target=use, args=(window,)).start()
    return window

webview.create_window = created
sys.exit(desktop.main([]))
"""


@pytest.fixture
def screen() -> Iterator[str]:
    """A display of Xvfb."""
    if not sys.platform.startswith("linux") or shutil.which("Xvfb") is None:
        pytest.skip("needs Xvfb, a virtual screen (Debian: xvfb)")
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


@pytest.fixture
def use_window(screen: str, tmp_path: Path) -> UseWindow:
    """Opens the app's window and gives it to the function `use` of a script; what the script printed when it ended.

    The app keeps its files in `tmp_path / "cache"`. Other arguments are the script's, and `environment` is added to its
    environment.
    """
    if find_spec("webview") is None:
        pytest.skip("needs pywebview, as viz/desktop/requirements.txt has it")

    def run(script: str, *arguments: str, seconds: float, **environment: str) -> subprocess.CompletedProcess[str]:
        without_sandbox = {
            "QTWEBENGINE_DISABLE_SANDBOX": "1",
            "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
        }  # for root
        ended = subprocess.run(
            [sys.executable, "-c", script + OPEN_WINDOW, *arguments],
            cwd=ROOT,
            env=os.environ
            | {"DISPLAY": screen, "HEADLIGHT_CACHE": str(tmp_path / "cache")}
            | without_sandbox
            | environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        if "No web view is installed" in ended.stderr:
            pytest.skip("needs a web view: that of Qt, or of GTK")
        assert ended.returncode == 0, ended.stderr
        return ended

    return run
