"""`python -m docs.pictures [NAME...]`: take the film and the pictures of README and docs from the running app."""

from __future__ import annotations

import argparse
import io
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from PIL import Image, ImageDraw
from playwright.sync_api import Browser, FloatRect, Locator, Page

from bench.page import chromium
from bench.server import ROOT, serve

FOLDER = ROOT / "docs" / "pictures"
WIDTH, HEIGHT = 1280, 720
FILM_SIZE = (1024, 576)
MAX_FILM = 1_000_000  # bytes
TIMEOUT = 120_000  # milliseconds until the page has loaded torch and the model
LEFT = 16  # where the view begins
STEPS = 5  # frames in which the pointer moves from one place to the next
ARROW = ((0, 0), (0, 17), (4, 13), (7, 20), (10, 19), (7, 12), (12, 12))  # the mouse pointer, in pixels


def main(arguments: list[str] | None = None) -> int:
    """Take the named pictures, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m docs.pictures", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(PICTURES)}; default: all")
    names = parser.parse_args(arguments).names or list(PICTURES)
    unknown = set(names) - set(PICTURES)
    if unknown:
        parser.error(f"there is no picture {', '.join(sorted(unknown))}")
    FOLDER.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        serve(ROOT / "app.py", Path(folder) / "log.txt") as server,
        chromium() as browser,
    ):
        for name in names:
            size = PICTURES[name](browser, server.url, FOLDER / f"{name}.webp")
            sys.stdout.write(f"{name}.webp: {size / 1000:.0f} kB\n")
    return 0


# --- pages ---


@contextmanager
def tab(browser: Browser, address: str, *, sharp: bool = True) -> Iterator[Page]:
    """A page of the app or of a file, once everything on it is drawn; `sharp` takes two pixels for each of the page."""
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT},
        device_scale_factor=2 if sharp else 1,
        color_scheme="light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.set_default_timeout(TIMEOUT)
    page.goto(address)
    try:
        yield page
    finally:
        context.close()


def settle(page: Page) -> None:
    """Wait until the app has run its script, loaded its models, ended its jobs and painted."""
    page.wait_for_function(
        """() => document.querySelector('[data-testid="stApp"][data-test-script-state="notRunning"]')
            && document.querySelector('.st-key-view')
            && !document.querySelector('.st-key-loading')?.textContent.includes("Loading")
            && !document.querySelector("[class*='_stop']")""",
    )
    page.wait_for_timeout(700)  # a picture may still fade in


def save_picture(page: Page, path: Path, clip: FloatRect | None = None) -> int:
    """Write what the window shows, or a part of it, and return the number of bytes."""
    with Image.open(io.BytesIO(page.screenshot(clip=clip))) as picture:
        picture.convert("RGB").save(path, quality=65, method=6)
    return path.stat().st_size


def window(*keys: str, **selection: str) -> Callable[[Browser, str, Path], int]:
    """A picture of the whole window at a link of the app, after some keys were pressed."""

    def take(browser: Browser, url: str, path: Path) -> int:
        with tab(browser, f"{url}/?{urlencode(selection)}", sharp=False) as page:
            settle(page)
            for key in keys:
                page.keyboard.press(key)
                settle(page)
            return save_picture(page, path)

    return take


def part(
    find: Callable[[Page], Locator], *, height: float = 483, **selection: str
) -> Callable[[Browser, str, Path], int]:
    """A picture of the view at a link of the app, from the place down that `find` gives."""

    def take(browser: Browser, url: str, path: Path) -> int:
        with tab(browser, f"{url}/?{urlencode(selection)}") as page:
            settle(page)
            top = find(page).first
            top.evaluate("top => top.scrollIntoView({ block: 'start' })")
            page.wait_for_timeout(700)  # charts are drawn when they come into sight
            box = top.bounding_box()
            if box is None:
                raise ValueError(f"{path.stem}: {top} is not on the page.")
            y = min(max(box["y"] - 10, 0), HEIGHT - height)
            return save_picture(page, path, {"x": LEFT, "y": y, "width": WIDTH - 16 - LEFT, "height": height})

    return take


def heading(words: str) -> Callable[[Page], Locator]:
    """A heading that has these words, a regular expression."""
    return lambda page: page.get_by_role("heading", name=re.compile(words))


def file_picture(
    write: Callable[[Browser, str, Path], None], shown: str, place: str = ""
) -> Callable[[Browser, str, Path], int]:
    """A picture of an HTML file that `write` makes, opened at a place in it, once it shows what a selector names."""

    def take(browser: Browser, url: str, path: Path) -> int:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "file.html"
            write(browser, url, file)
            with tab(browser, file.as_uri() + place, sharp=False) as page:
                page.wait_for_selector("html[data-complete]", state="attached")
                page.wait_for_selector(shown)
                page.wait_for_timeout(700)  # words and views are fitted to the window
                return save_picture(page, path)

    return take


def write_page(browser: Browser, url: str, path: Path) -> None:
    """Save all views of the app's first page as a file."""
    with tab(browser, url) as page:
        settle(page)
        page.get_by_role("button", name="Export").click()
        with page.expect_download() as download:
            page.get_by_role("button", name="All attention views").click()
        download.value.save_as(path)


def write_slides(browser: Browser, url: str, path: Path) -> None:
    """Save the first tour as slides."""
    subprocess.run([sys.executable, "-m", "viz.slides", "time-flies", str(path)], cwd=ROOT, check=True)


# --- the film ---


@dataclass
class Film:
    """Frames of a page with a mouse pointer, each with its length in milliseconds."""

    page: Page
    at: tuple[float, float] = (640, 420)
    frames: list[Image.Image] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)

    def take(self, milliseconds: int) -> None:
        """Take a frame; one that is equal to the last makes that one longer."""
        frame = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        outline = [(self.at[0] + x, self.at[1] + y) for x, y in ARROW]
        ImageDraw.Draw(frame).polygon(outline, fill="black", outline="white")
        frame = frame.resize(FILM_SIZE, Image.Resampling.LANCZOS)
        if self.frames and frame.tobytes() == self.frames[-1].tobytes():
            self.lengths[-1] += milliseconds
        else:
            self.frames.append(frame)
            self.lengths.append(milliseconds)

    def move(self, target: Locator, *, at: tuple[float, float] | None = None) -> None:
        """Move the pointer to a place in a part of the page, by default to its middle."""
        box = target.bounding_box()
        if box is None:
            raise ValueError(f"{target} is not on the page.")
        x, y = at or (box["width"] / 2, box["height"] / 2)
        self.move_to(box["x"] + x, box["y"] + y)

    def move_to(self, x: float, y: float) -> None:
        """Move the pointer to a place of the window, slower where it starts and ends."""
        from_x, from_y = self.at
        for step in range(1, STEPS + 1):
            part = step / STEPS
            part = part * part * (3 - 2 * part)
            self.at = from_x + (x - from_x) * part, from_y + (y - from_y) * part
            self.page.mouse.move(*self.at)
            self.take(50)

    def click(self, milliseconds: int) -> None:
        """Click where the pointer is, and show what follows."""
        self.page.mouse.click(*self.at)
        settle(self.page)
        self.take(milliseconds)

    def open_view(self, title: str) -> None:
        """Choose a view from the list of views."""
        self.move(self.page.get_by_role("button", name=re.compile("^View: ")))
        self.click(600)
        self.move(self.page.get_by_role("menuitem", name=re.compile(f"^{title}")))
        self.click(800)

    def type(self, text: str) -> None:
        """Type at the caret, a frame for each key."""
        for key in text:
            self.page.keyboard.type(key)
            self.page.wait_for_timeout(300)  # until the view follows
            self.take(110)

    def save(self, path: Path) -> int:
        """Write an animated WebP, and return the number of bytes."""
        first, *others = self.frames
        # A complete frame for every 20 that are stored as differences: differences alone leave traces of older frames.
        options: dict[str, Any] = {"append_images": others, "duration": self.lengths, "kmin": 19, "kmax": 20}
        first.save(path, save_all=True, loop=0, quality=50, **options)
        size = path.stat().st_size
        if size > MAX_FILM:
            raise ValueError(f"{path.name} has {size} bytes, and {MAX_FILM} at most are wanted.")
        return size


def film(browser: Browser, url: str, path: Path) -> int:
    """A sentence typed, a head clicked, the head view, and a link cut: the verb becomes a noun."""
    selection = {"a": "time", "b": "fruit flies like a banana", "mode": "separate", "tags": "6"}
    with tab(browser, f"{url}/?{urlencode(selection)}", sharp=False) as page:
        settle(page)
        page.wait_for_selector("[data-painted$='L0|H4']")
        settle(page)
        film = Film(page)
        film.take(800)
        film.move(page.get_by_role("textbox", name="Sentence A"))
        film.click(300)
        page.keyboard.press("End")
        film.type(" flies like an arrow")
        settle(page)
        film.take(1200)
        film.open_view("Head view")
        film.take(1500)
        film.move(page.locator(".head-view .scroller").first, at=(70, 100))  # "flies"
        film.take(1800)
        film.open_view("Heat map")
        page.get_by_text("without any look at").wait_for()
        film.take(2500)
        film.move(page.get_by_role("button", name="Cut it"))
        page.mouse.click(*film.at)
        page.get_by_text("Without “flies”").first.wait_for()
        settle(page)
        film.take(5000)
        return film.save(path)


FLIES: dict[str, Any] = {"a": "time flies like an arrow", "b": "fruit flies like a banana", "mode": "separate"}
PICTURES: dict[str, Callable[[Browser, str, Path], int]] = {
    "film": film,
    "model-view": part(lambda page: page.locator(".st-key-workspace canvas").first, view="model view", **FLIES),
    "neuron-view": part(heading("^Sentence A"), view="neuron view", **FLIES, query="2", key="1"),
    "word-lens": part(heading("Verb or noun"), view="word lens", **FLIES),
    "similar-because": part(heading("cosine"), view="similar because", a="a dog barks", b="the puppy is loud"),
    "compare": part(lambda page: page.get_by_text("differs most"), view="compare", **FLIES),
    "anatomy": part(lambda page: page.locator(".katex-display"), view="anatomy", walk="softmax", b=""),
    "decoder": part(
        lambda page: page.locator(".st-key-decoder_choices"), height=560, view="decoder", at_step="2", layer="1"
    ),
    "stage": window("PageDown", tour="time-flies", stop="7", stage="1"),
    "page": file_picture(write_page, ".picture .view[data-painted]"),
    "slides": file_picture(write_slides, ".slide.now .view[data-painted]", "#3a"),
}

if __name__ == "__main__":
    sys.exit(main())
