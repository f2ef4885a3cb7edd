"""The window of its own: what it remembers, what it says where it cannot open, and that its server ends with it."""

import json
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from encoder.cache_folder import cache_folder
from encoder.errors import InstallationError, LaunchError
from viz import launch
from viz.desktop import __main__ as desktop
from viz.desktop import settings, window
from viz.desktop.server import serving
from viz.desktop.settings import WindowSettings

ROOT = Path(__file__).parents[3]


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the window's size is kept."""
    monkeypatch.setenv("HEADLIGHT_CACHE", str(tmp_path))
    return tmp_path / "window" / "window.json"


class WebView:
    """pywebview as far as it is called; its window is resized and closed at once."""

    def __init__(self, *sizes: tuple[int, int]) -> None:
        self.settings: dict[str, bool] = {}
        self.sizes, self.created, self.started = sizes, {}, {}

    def create_window(self, title: str, address: str, **options: Any) -> Any:
        self.created = {"title": title, "address": address} | options
        self.window = SimpleNamespace(events=SimpleNamespace(resized=Event()))
        return self.window

    def start(self, **options: Any) -> None:
        self.started = options
        for size in self.sizes:
            self.window.events.resized(*size)


class Event:
    """Handlers that are added by "+="."""

    def __init__(self) -> None:
        self.handlers: list[Any] = []

    def __iadd__(self, handler: Any) -> "Event":
        self.handlers.append(handler)
        return self

    def __call__(self, *size: int) -> None:
        for handler in self.handlers:
            handler(*size)


# The window -----------------------------------------------------------------------------------------------------------


def test_the_window_opens_in_its_last_size_and_stores_the_new_one(kept: Path) -> None:
    webview = WebView((1300, 800), (1200, 700.4))
    last = window.show(webview, "http://127.0.0.1:1/", WindowSettings(1000, 600, 1))
    assert {"address": "http://127.0.0.1:1/", "width": 1000, "height": 600}.items() <= webview.created.items()
    assert last == WindowSettings(1200, 700, 1)
    assert webview.settings == {"ALLOW_DOWNLOADS": True, "OPEN_EXTERNAL_LINKS_IN_BROWSER": True}
    assert webview.started == {"private_mode": False, "storage_path": str(kept.parent)}


def test_without_storage_the_page_stores_nothing_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADLIGHT_CACHE", "off")
    webview = WebView()
    assert window.show(webview, "http://127.0.0.1:1/", WindowSettings()) == WindowSettings()
    assert webview.started == {"private_mode": True, "storage_path": None}
    settings.write(WindowSettings(1000, 600, 1))
    assert settings.read() == WindowSettings()


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"width": "wide", "height": 1, "port": 1}', '{"width": 1e999, "height": 9, "port": 1}']
)
def test_damaged_settings_are_not_read(text: str, kept: Path) -> None:
    kept.parent.mkdir(parents=True)
    kept.write_text(text)
    assert settings.read() == WindowSettings()


def test_a_size_that_no_window_has_is_brought_within_limits(kept: Path) -> None:
    kept.parent.mkdir(parents=True)
    kept.write_text(json.dumps({"width": 1, "height": 10**9, "port": "x"}))
    assert settings.read() == WindowSettings(settings.SMALLEST, settings.LARGEST, None)


@pytest.mark.parametrize(
    ("environment", "platform", "folder"),
    [
        ({"HEADLIGHT_CACHE": "/elsewhere"}, "linux", "/elsewhere"),
        ({"XDG_CACHE_HOME": "/cache"}, "linux", "/cache/headlight"),
        ({"XDG_CACHE_HOME": "relative"}, "linux", "~/.cache/headlight"),
        ({}, "linux", "~/.cache/headlight"),
        ({}, "darwin", "~/Library/Caches/headlight"),
        ({"LOCALAPPDATA": "/local"}, "win32", "/local/headlight"),
        ({}, "win32", "~/AppData/Local/headlight"),
    ],
    ids=["named", "XDG", "relative XDG", "Linux", "macOS", "Windows", "Windows without a variable"],
)
def test_the_folder_follows_the_platform(environment: dict[str, str], platform: str, folder: str) -> None:
    assert cache_folder(environment, platform) == Path(folder).expanduser()


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_without_a_home_folder_nothing_is_stored(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    assert cache_folder({}, platform) is None
    monkeypatch.delenv("HOME", raising=False)
    assert cache_folder({"HEADLIGHT_CACHE": "~nobody-here/x"}, platform) is None


# Where there is no web view -------------------------------------------------------------------------------------------


def test_a_missing_package_is_named_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setitem(sys.modules, "webview", None)
    with pytest.raises(InstallationError, match=r'^No web view is installed: pip install "headlight\[desktop\]"\.$'):
        window.find_web_view()


def test_a_missing_screen_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(InstallationError, match="There is no screen"):
        window.find_web_view()


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the command did, with a server that ends at once in place of the page's."""
    done: dict[str, Any] = {"opened": [], "ended": False}

    @contextmanager
    def serve(port: int) -> Iterator[Any]:
        done["port"] = port
        yield SimpleNamespace(wait=lambda: None)
        done["ended"] = True

    monkeypatch.setattr(desktop, "serving", serve)
    monkeypatch.setattr(desktop.webbrowser, "open", done["opened"].append)
    return done


def test_the_browser_opens_instead(
    served: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def find() -> None:
        raise InstallationError("No web view is installed: install one.")

    monkeypatch.setattr(desktop, "find_web_view", find)
    assert desktop.main([]) == 0
    assert served["opened"] == [f"http://127.0.0.1:{served['port']}/"]
    said = "No web view is installed: install one. The browser opens instead; Ctrl+C ends Headlight.\n"
    assert capsys.readouterr().err == said
    assert served["ended"]


def test_the_window_comes_back_to_its_port_and_size(
    served: dict[str, Any], kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    views = [WebView((900, 700)), WebView()]
    for webview in views:
        monkeypatch.setattr(desktop, "find_web_view", lambda webview=webview: webview)
        assert desktop.main([]) == 0
    first, second = (webview.created for webview in views)
    assert (first["width"], second["width"], second["height"]) == (1440, 900, 700)
    assert first["address"] == second["address"] == f"http://127.0.0.1:{served['port']}/"
    assert served["opened"] == []


# The server -----------------------------------------------------------------------------------------------------------


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10):
            return True
    except OSError:
        return False


def test_the_server_ends_with_the_window() -> None:
    port = launch.free_port()
    with serving(port) as process:
        assert answers(port)
    assert process.returncode is not None
    assert not answers(port)


def test_the_server_ends_where_the_windows_process_is_killed() -> None:
    port = launch.free_port()
    script = (
        f"import os\nfrom viz.desktop.server import serving\nwith serving({port}) as server:\n    print(server.pid)\n"
    )
    killed = subprocess.Popen(
        [sys.executable, "-u", "-c", script + "    os.kill(os.getpid(), 9)"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    said, _ = killed.communicate(timeout=60)  # until the server, too, has closed its end
    assert said.splitlines()[-2:] != []
    assert killed.returncode != 0
    assert not answers(port)


def test_a_server_that_does_not_start_is_reported() -> None:
    with socket.socket() as listener:
        listener.bind((launch.HOST, 0))
        listener.listen()
        port = listener.getsockname()[1]
        with pytest.raises(LaunchError, match=f"did not start at port {port}"), serving(port):
            pass
