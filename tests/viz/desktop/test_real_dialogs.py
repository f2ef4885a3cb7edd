"""Saving and leaving in the real window: dialogs are typed into by xdotool, and a script stands in for the browser."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from encoder import Trace

ROOT = Path(__file__).parents[3]
# Saves the view as a page and the run as a trace, follows a link to another place, and closes the window.
USE = """
import subprocess, sys, threading, time
from pathlib import Path
import webview
from viz.desktop import __main__ as desktop

FOLDER = Path(sys.argv[1])
READY = '''(() => {
    const hosts = [...document.querySelectorAll("*")].filter((node) => node.shadowRoot);
    const isIdle = document.querySelector("[data-testid=stApp][data-test-script-state=notRunning]");
    return Boolean(isIdle) && hosts.some((host) => host.shadowRoot.querySelector(".view[data-painted]"));
})()'''
OPEN = '''[...document.querySelectorAll("[data-testid=stPopover] button")]
    .find((button) => button.textContent.includes("Save as a page"))?.click()'''
LEAVE = '''(() => {
    const link = Object.assign(document.createElement("a"), {href: "https://example.org/", target: "_blank"});
    document.body.append(link);
    link.click();
})()'''
create_window = webview.create_window

def until(found, seconds=60):
    end = time.monotonic() + seconds
    while not found() and time.monotonic() < end:
        time.sleep(0.2)
    return found()

def xdotool(*arguments):
    return subprocess.run(["xdotool", *arguments], capture_output=True, text=True).stdout.split()

def dialogs():
    return xdotool("search", "--onlyvisible", "--name", "Save file")

def save(window, key, name):
    button = f"document.querySelector('.st-key-{key} button')"
    if not window.evaluate_js(f"Boolean({button})"):
        window.evaluate_js(OPEN)
    until(lambda: window.evaluate_js(f"Boolean({button})"))
    window.evaluate_js(f"{button}.click()")
    until(dialogs)
    xdotool("windowfocus", "--sync", dialogs()[-1])
    xdotool("key", "ctrl+a")
    xdotool("type", "--delay", "30", str(FOLDER / name))
    xdotool("key", "Return")
    until(lambda: (FOLDER / name).exists() and not dialogs())

def use(window):
    try:
        window.events.loaded.wait(60)
        until(lambda: window.evaluate_js(READY), 120)
        save(window, "save_page_heat-map", "page.html")
        save(window, "save_trace_pair", "trace.safetensors")
        window.evaluate_js(LEAVE)
        until((FOLDER / "opened").exists)
    finally:
        window.destroy()

def created(*arguments, **options):
    window = create_window(*arguments, **options)
    threading.Thread(target=use, args=(window,)).start()
    return window

webview.create_window = created
sys.exit(desktop.main([]))
"""


@pytest.mark.skipif(find_spec("webview") is None, reason="needs pywebview, as viz/desktop/requirements.txt has it")
@pytest.mark.skipif(shutil.which("xdotool") is None, reason="needs xdotool, which types into dialogs")
def test_what_is_saved_is_in_the_file_that_was_named_and_links_leave_the_window(screen: str, tmp_path: Path) -> None:
    script = tmp_path / "use.py"
    script.write_text(USE, encoding="utf-8")
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$@" > "{tmp_path}/opened"\n', encoding="utf-8")
    browser.chmod(0o755)
    environment = os.environ | {"DISPLAY": screen, "HEADLIGHT_CACHE": str(tmp_path / "cache"), "BROWSER": str(browser)}
    environment |= {"QTWEBENGINE_DISABLE_SANDBOX": "1", "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    ended = subprocess.run(
        [sys.executable, str(script), str(tmp_path)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    if "No web view is installed" in ended.stderr:
        pytest.skip("needs a web view: that of Qt, or of GTK")
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert Trace.load(tmp_path / "trace.safetensors").tokens.labels[1] == "time"
    assert (tmp_path / "opened").read_text().strip() == "https://example.org/"
