"""A server whose page many people open while it starts."""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.server import ROOT, Server, running
from bench.visitor import visit
from tests.app.app_script import captions, open_page
from tests.thorough import THOROUGH
from tests.threads import in_a_thread
from viz.computing.background import ATTEMPTS, Background
from viz.launch import HOST, free_port
from viz.page import loading
from viz.page.errors import UNEXPECTED

STARTS, TABS = 10 if THOROUGH else 1, 40
SECONDS = 120
PATH_OF_IMPORTS = """
import json, sys
import app
from streamlit.runtime.scriptrunner.exec_code import modified_sys_path

outside = list(sys.path)
with modified_sys_path(str(app.app.script_path)):  # a run of the page
    print(json.dumps(sys.path == outside))
"""
# A server that says when it has loaded everything, which is when threads switch as usual again. {preparation} is done
# before it starts.
SERVER = """
import runpy, sys, threading, time

def watch():
    usual = sys.getswitchinterval()
    for changed in (True, False):
        while (sys.getswitchinterval() != usual) != changed:
            time.sleep(0.02)
    print("settled", flush=True)

threading.Thread(target=watch, daemon=True).start()
{preparation}
runpy.run_module("streamlit", run_name="__main__")
"""
WITHOUT_A_BODY = """
class Hidden:
    def find_spec(name, path=None, target=None):
        if name == "viz.page.body":
            raise ModuleNotFoundError("No module named 'httpcore2'")

sys.meta_path.insert(0, Hidden)
"""


@contextmanager
def starting(log: Path, preparation: str = "") -> Iterator[Server]:
    port = free_port()
    command = [sys.executable, "-c", SERVER.format(preparation=preparation), "run", str(ROOT / "app.py")]
    command += ["--server.headless=true", f"--server.port={port}", f"--server.address={HOST}"]
    with running(command, f"http://{HOST}:{port}", log, health="/_stcore/health") as server:
        yield server


def errors_of_tabs(server: Server, tabs: int) -> list[str]:
    """What goes wrong on pages that are opened at once."""

    async def open_one() -> tuple[str, ...]:
        async with visit(server.url) as visitor:
            return (await visitor.open()).errors

    async def open_all() -> list[str]:
        return [error for errors in await asyncio.gather(*(open_one() for _ in range(tabs))) for error in errors]

    return in_a_thread(open_all)


def test_a_run_of_the_page_leaves_the_path_of_imports_as_it_is() -> None:
    ran = subprocess.run([sys.executable, "-c", PATH_OF_IMPORTS], cwd=ROOT, check=True, capture_output=True, text=True)
    assert json.loads(ran.stdout.splitlines()[-1])


@pytest.mark.parametrize("start", range(STARTS))
def test_forty_tabs_open_while_the_server_starts(start: int, tmp_path: Path) -> None:
    log = tmp_path / f"{start}.txt"
    with starting(log) as server:
        assert errors_of_tabs(server, TABS) == []
        until = time.monotonic() + SECONDS
        while "settled" not in log.read_text(encoding="utf-8"):
            assert time.monotonic() < until
            time.sleep(0.1)
    assert "Traceback" not in log.read_text(encoding="utf-8")


def test_an_unexpected_error_is_logged_and_said_in_one_sentence(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    with starting(log, WITHOUT_A_BODY) as server:
        assert errors_of_tabs(server, 1) == [UNEXPECTED]
    logged = log.read_text(encoding="utf-8")
    assert logged.count("could not load the page beforehand") == ATTEMPTS
    assert "No module named 'httpcore2'" in logged


def test_the_page_says_what_could_not_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ModuleNotFoundError("No module named 'httpcore2'")

    failing = Background([("torch", lambda: None)], afterwards=[("the views", fail)])
    monkeypatch.setattr(loading, "MODELS", failing)
    failing.start()
    until = time.monotonic() + SECONDS
    while not failing.failed:
        assert time.monotonic() < until
        time.sleep(0.01)
    assert loading.FAILED.format("the views") in captions(open_page())
