"""`headlight.Widget` in JupyterLab and in marimo, in Chromium."""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from tests.browser.pages.server import SECONDS_TO_START, free_port
from tests.browser.pages.window import Window

A, B = "time flies like an arrow", "fruit flies"
CELLS = (
    f"""import headlight
model = headlight.load("bundled-sentiment")
first = headlight.Widget(model, {A!r})
second = headlight.Widget(model, "a lovely film", view="heat map")
first""",
    "second",
    "print(first.view, first.head, second.view, second.head)",
    "first.layer, first.head = 2, 7",
    "print(first.texts, len(first.selection))",
)
MARIMO = f"""
import marimo
app = marimo.App(html_head_file="dark.html")

@app.cell
def _():
    import marimo
    import headlight
    widget = marimo.ui.anywidget(headlight.Widget(headlight.load("bundled"), {A!r}))
    widget
    return (widget,)

@app.cell
def _(widget):
    f"{{widget.value['view']}}, head {{widget.value['head']}}"
    return

if __name__ == "__main__":
    app.run()
"""
SECONDS_OF_A_KERNEL = 90  # which imports torch


@contextmanager
def served(folder: Path, *command: str) -> Iterator[str]:
    """The address of a server whose command is given without its port."""
    address = f"http://127.0.0.1:{(port := free_port())}"
    with (folder / "log.txt").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", *command, f"--port={port}"], cwd=folder, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            until = time.monotonic() + SECONDS_TO_START
            while process.poll() is None and time.monotonic() < until:
                try:
                    urllib.request.urlopen(address, timeout=5).close()
                    break
                except OSError:
                    time.sleep(0.1)
            yield address
        finally:
            process.terminate()
            process.wait(20)


@pytest.fixture
def notebook(tmp_path: Path) -> Iterator[str]:
    """The address of a notebook in JupyterLab, which saves the state of widgets with it."""
    import nbformat  # two seconds, which processes without these tests need not spend

    cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), tmp_path / "widget.ipynb")
    settings = tmp_path / "settings" / "@jupyter-widgets" / "jupyterlab-manager"
    settings.mkdir(parents=True)
    (settings / "plugin.jupyterlab-settings").write_text('{"saveState": true}', encoding="utf-8")
    options = ["--no-browser", "--allow-root", "--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True"]
    lab = ("jupyterlab", *options, f"--LabApp.user_settings_dir={tmp_path / 'settings'}")
    with served(tmp_path, *lab) as address:
        yield f"{address}/doc/tree/widget.ipynb"


class Notebook:
    """A notebook that is open in JupyterLab."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        page.goto(address)
        page.get_by_role("button", name="Python 3 (ipykernel) | Idle").wait_for(timeout=1000 * SECONDS_OF_A_KERNEL)

    def run(self, cell: int) -> Locator:
        """Run a cell; returns what it prints."""
        self.page.locator(".jp-CodeCell .cm-content").nth(cell).click()
        self.page.keyboard.press("Shift+Enter")
        return self.page.locator(".jp-CodeCell").nth(cell).locator(".jp-OutputArea-output")

    @property
    def widgets(self) -> Locator:
        return self.page.locator(".headlight-widget")

    def views(self, widget: int) -> FrameLocator:
        """The page in a widget's frame."""
        return self.widgets.nth(widget).frame_locator("iframe")


def choose(views: FrameLocator, view: str) -> None:
    views.get_by_role("button", name=view, exact=True).click()


def expect_heat_map(views: FrameLocator, of: str) -> None:
    picture = views.locator(f"canvas[aria-label^='Attention weights of {of}']")
    expect(picture).to_be_visible(timeout=1000 * SECONDS_OF_A_KERNEL)


def test_jupyterlab_shows_widgets_that_python_follows_and_what_was_saved_of_them(
    browser: Window, notebook: str
) -> None:
    with browser.tab(viewport={"width": 1300, "height": 2400}) as page:
        opened = Notebook(page, notebook)
        opened.run(0)
        opened.run(1)
        first, second = opened.views(0), opened.views(1)
        expect_heat_map(second, "L0 H4, 5 by 5 tokens")
        choose(first, "Heat map")
        expect_heat_map(first, "L0 H4, 7 by 7 tokens")
        expect(opened.run(2)).to_have_text("heat map 4 heat map 4\n")
        opened.run(3)
        expect_heat_map(first, "L2 H7, 7 by 7 tokens")
        expect_heat_map(second, "L0 H4")
        opened.widgets.first.get_by_label("Sentence B").press_sequentially(B)
        expect_heat_map(first, "L2 H7, 10 by 10 tokens")
        expect(opened.run(4)).to_have_text(f"['{A}', '{B}'] 100\n")
        choose(first, "Predictions")
        expect(first.locator(".picture").get_by_text("negative").first).to_be_visible()
        with page.expect_response(
            lambda response: "/api/contents/" in response.url and response.request.method == "PUT"
        ):
            page.get_by_role("button", name="Save and create checkpoint").click()

    # Opened again without a kernel that knows the widgets, it shows what was saved.
    root = notebook.partition("/doc/")[0]
    with browser.tab(viewport={"width": 1300, "height": 2400}) as page:
        for session in page.request.get(f"{root}/api/sessions").json():
            page.request.delete(f"{root}/api/sessions/{session['id']}")
        opened = Notebook(page, notebook)
        views = opened.views(1)
        expect_heat_map(views, "L0 H4, 5 by 5 tokens")
        choose(views, "Head view")
        expect(views.get_by_role("group", name="Heads")).to_be_visible()
        choose(views, "Why this prediction?")
        expect(views.locator(".picture").get_by_text("needs a running kernel")).to_be_visible()
        opened.run(0)
        expect(opened.views(0).get_by_role("group", name="Heads")).to_be_visible()


def test_marimo_runs_the_cells_that_depend_on_a_widget(browser: Window, tmp_path: Path) -> None:
    (tmp_path / "notebook.py").write_text(MARIMO, encoding="utf-8")
    (tmp_path / "dark.html").write_text("<style>* { color: #eee }</style>", encoding="utf-8")
    marimo = served(tmp_path, "marimo", "run", "notebook.py", "--headless", "--no-token")
    with marimo as address, browser.tab() as page:
        page.goto(address)
        views = page.frame_locator("iframe[title=Headlight]")
        views.locator("html[data-complete]").wait_for(timeout=1000 * SECONDS_OF_A_KERNEL, state="attached")
        expect(views.locator("html")).to_have_attribute("data-theme", "dark")
        choose(views, "Heat map")
        expect(page.get_by_text("heat map, head 4")).to_be_visible()
