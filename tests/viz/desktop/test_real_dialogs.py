"""Saving and leaving in the real window: dialogs are typed into by xdotool, and a script stands in for the browser."""

import shutil
from pathlib import Path

import pytest

from encoder import Trace
from tests.viz.desktop.conftest import UseWindow

# Saves the view as a page and the run as a trace, follows a link to another place, and closes the window.
USE = """
import subprocess, sys, time
from pathlib import Path

FOLDER = Path(sys.argv[1])
READY = '''(() => {
    const hosts = [...document.querySelectorAll("*")].filter((node) => node.shadowRoot);
    const isIdle = document.querySelector("[data-testid=stApp][data-test-script-state=notRunning]");
    return Boolean(isIdle) && hosts.some((host) => host.shadowRoot.querySelector(".view[data-painted]"));
})()'''
OPEN = '''[...document.querySelectorAll("[data-testid=stPopover] button")]
    .find((button) => button.textContent.includes("Export"))?.click()'''
LEAVE = '''(() => {
    const link = Object.assign(document.createElement("a"), {href: "https://example.org/", target: "_blank"});
    document.body.append(link);
    link.click();
})()'''

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
"""


@pytest.mark.skipif(shutil.which("xdotool") is None, reason="needs xdotool, which types into dialogs")
def test_downloads_go_to_the_named_file_and_links_leave_the_window(use_window: UseWindow, tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$@" > "{tmp_path}/opened"\n', encoding="utf-8")
    browser.chmod(0o755)
    use_window(USE, str(tmp_path), seconds=280, BROWSER=str(browser))
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert Trace.load(tmp_path / "trace.safetensors").tokens.labels[1] == "time"
    assert (tmp_path / "opened").read_text().strip() == "https://example.org/"
