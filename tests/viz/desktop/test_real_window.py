"""The window as it is, on a screen that nobody sees: the page is drawn in the system's web view and ends with it."""

import json
import os
import subprocess
import sys
import urllib.request
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
# Resizes the window once the heat map is painted, and closes it.
USE = """
import sys, threading, time
import webview
from viz.desktop import __main__ as desktop

PAINTED = '''(() => {
    const hosts = [...document.querySelectorAll("*")].filter((node) => node.shadowRoot);
    return hosts.some((host) => host.shadowRoot.querySelector(".view[data-painted]"));
})()'''
create_window = webview.create_window

def use(window):
    window.events.loaded.wait(60)
    until = time.monotonic() + 90
    while not window.evaluate_js(PAINTED) and time.monotonic() < until:
        time.sleep(0.2)
    print("painted" if window.evaluate_js(PAINTED) else "not painted", window.get_current_url(), flush=True)
    window.resize(1000, 700)
    window.events.resized.wait(10)
    window.destroy()

def created(*arguments, **options):
    window = create_window(*arguments, **options)
    threading.Thread(target=use, args=(window,)).start()
    return window

webview.create_window = created
sys.exit(desktop.main([]))
"""


@pytest.mark.skipif(find_spec("webview") is None, reason="needs pywebview, as viz/desktop/requirements.txt has it")
def test_the_page_is_drawn_in_a_window_and_ends_with_it(screen: str, tmp_path: Path) -> None:
    environment = os.environ | {"DISPLAY": screen, "HEADLIGHT_CACHE": str(tmp_path)}
    environment |= {"QTWEBENGINE_DISABLE_SANDBOX": "1"}  # Chromium's own, which does not work for root
    ended = subprocess.run(
        [sys.executable, "-c", USE], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=200, check=False
    )
    if "No web view is installed" in ended.stderr:
        pytest.skip("needs a web view: that of Qt, or of GTK")
    assert ended.returncode == 0, ended.stderr
    painted = next(line for line in ended.stdout.splitlines() if "painted" in line)
    kept = json.loads((tmp_path / "window" / "window.json").read_text())
    assert painted == f"painted http://127.0.0.1:{kept['port']}/"
    assert (kept["width"], kept["height"]) == (1000, 700)
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"http://127.0.0.1:{kept['port']}/", timeout=10)
