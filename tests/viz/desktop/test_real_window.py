"""The real window on a virtual screen: the system's web view renders the page, and the server ends with it."""

import json
import urllib.request
from pathlib import Path

import pytest

from tests.viz.desktop.conftest import UseWindow

# Resizes the window once the heat map is painted, and closes it.
USE = """
import time

PAINTED = '''(() => {
    const hosts = [...document.querySelectorAll("*")].filter((node) => node.shadowRoot);
    return hosts.some((host) => host.shadowRoot.querySelector(".view[data-painted]"));
})()'''

def use(window):
    window.events.loaded.wait(60)
    until = time.monotonic() + 90
    while not window.evaluate_js(PAINTED) and time.monotonic() < until:
        time.sleep(0.2)
    print("painted" if window.evaluate_js(PAINTED) else "not painted", window.get_current_url(), flush=True)
    window.resize(1000, 700)
    window.events.resized.wait(10)
    window.destroy()
"""


def test_the_page_is_drawn_in_a_window_and_ends_with_it(use_window: UseWindow, tmp_path: Path) -> None:
    ended = use_window(USE, seconds=200)
    painted = next(line for line in ended.stdout.splitlines() if "painted" in line)
    kept = json.loads((tmp_path / "cache" / "window" / "window.json").read_text())
    assert painted == f"painted http://127.0.0.1:{kept['port']}/"
    assert (kept["width"], kept["height"]) == (1000, 700)
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"http://127.0.0.1:{kept['port']}/", timeout=10)
