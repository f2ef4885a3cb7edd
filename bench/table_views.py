"""Tables of texts in Chromium: opening a file, sorting, filtering, opening a row, a query, a word; over bare pages."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from statistics import median

from playwright.sync_api import FloatRect, Locator, Page

from bench import bare
from bench.context import Context
from bench.measure import Row, alternate, compare
from bench.page import Tab
from bench.texts import random_texts
from encoder.collection.word_map import MOST_OCCURRENCES

PART = "Tables of texts in Chromium, event to painted, over a bare Streamlit page"
ROWS, MANY = 1_000, 10_000
LONGEST = 600_000  # milliseconds that the vectors may take
UPLOAD, CLICK, LATER = "≤ 2", "≤ 1.5", "≤ 150"
TABLE, PICTURE, MAP = "table", "heat map", "word map"
BARE_UPLOAD = """import pandas as pd
import streamlit as st
upload = st.file_uploader("A file")
st.dataframe(pd.DataFrame({"text": ["a text"]}) if upload is None else pd.read_csv(upload), hide_index=True)
"""


def rows(context: Context) -> Iterator[Row]:
    """Each click and each upload is compared with one on a bare page, the least that any takes through Python."""
    with context.app() as server, context.page("bare_page", bare.SCRIPT) as clicks:
        with context.page("bare_upload", BARE_UPLOAD) as uploads:
            yield _opening(context, server.url, uploads.url)
        with context.tab(clicks) as other:
            bare.open_bare(other)
            with context.tab(server) as tab:
                yield from _clicks(context, tab, bare.timed_click(other))
            with context.tab(server) as tab:
                yield _query(context, tab, bare.timed_click(other))
            with context.tab(server) as tab:
                yield from _occurrences(context, tab, bare.timed_click(other))


def _opening(context: Context, url: str, bare_url: str) -> Row:
    """A file is chosen, until its first rows are painted; each time on a page of its own."""
    path = _write_table(context.folder / "texts.csv", ROWS)
    variants = {
        "ours": lambda: _open_file(Tab(context.browser, url), path, view="texts"),
        "bare": lambda: _open_file(Tab(context.browser, bare_url), path),
    }
    what = f"opening a CSV of {ROWS:,} rows, to its first rows"
    return compare(alternate(variants, context.rounds), "ours", "bare", part=PART, what=what, target=UPLOAD)


def _open_file(tab: Tab, path: Path, **link: str) -> float:
    with tab:
        tab.open(**link)
        tab.has(TABLE)
        if link:
            wait_for_rows(tab)
            tab.page.get_by_role("button", name="Open a table").click()
        field = tab.page.locator("input[type=file]")
        field.wait_for(state="attached")
        return tab.measure(TABLE, lambda: field.set_input_files(path), key="input").seconds


def _clicks(context: Context, tab: Tab, click: Callable[[], float]) -> Iterator[Row]:
    """In the table of reviews that ships."""
    tab.open(view="texts")
    wait_for_rows(tab)
    orders = cycle(("Least sure first", "As in the table", "Errors first"))

    def choose_filter() -> float:
        """Chosen and dropped in turn."""
        tab.idle()
        return tab.measure(TABLE, tab.page.get_by_role("button", name="Unsure", exact=True).click).seconds

    def choose_order() -> float:
        tab.idle()
        tab.page.locator(".st-key-texts_order input").click()
        option = tab.page.get_by_role("option", name=next(orders), exact=True)
        return tab.measure(TABLE, option.click).seconds

    def open_row() -> float:
        tab.idle()
        seconds = tab.measure(PICTURE, tab.page.get_by_role("button", name="Heat map", exact=True).click).seconds
        tab.page.get_by_role("button", name="Back to the table").click()
        wait_for_rows(tab)
        return seconds

    for what, act in (("filter", choose_filter), ("order", choose_order)):
        times = alternate({"ours": act, "bare": click}, context.rounds)
        yield compare(times, "ours", "bare", part=PART, what=f"{what}, 240 rows", target=CLICK)
    _choose_first_row(tab.page)
    times = alternate({"ours": open_row, "bare": click}, context.rounds)
    yield compare(times, "ours", "bare", part=PART, what="opening a row in the heat map", target=CLICK)


def _query(context: Context, tab: Tab, click: Callable[[], float]) -> Row:
    """A query over texts whose vectors are there."""
    tab.open(view="search")
    _work_out(context, tab, "search_vectors")
    queries, field = iter(random_texts(100, seed=1)), tab.page.get_by_role("textbox", name="Search for")

    def search() -> float:
        field.fill(next(queries))
        return tab.measure(TABLE, lambda: field.press("Enter")).seconds

    times = alternate({"ours": search, "bare": click}, context.rounds)
    row = compare(times, "ours", "bare", part=PART, what=f"a query over {MANY:,} texts, beyond the click")
    later = 1e3 * median(ours - least for ours, least in zip(times["ours"], times["bare"], strict=True))
    return replace(row, ours=later, target=LATER, judged_by="ours")


def _occurrences(context: Context, tab: Tab, click: Callable[[], float]) -> Iterator[Row]:
    """A word that occurs in most texts: a layer of the slider, and a lasso until the list of chosen texts."""
    tab.open(view="word map", word="the")
    _work_out(context, tab, "word_map")
    mouse, count = tab.page.mouse, f"{MOST_OCCURRENCES:,} occurrences"
    plot = tab.page.locator(".js-plotly-plot", has=tab.page.locator(".slider-container"))
    ends, halves = cycle((0.05, 0.95)), cycle((0, 1))

    def choose_layer() -> float:
        box = _box(plot.locator(".slider-rail-touch-rect"))
        x, y = box["x"] + next(ends) * box["width"], box["y"] + box["height"] / 2
        return tab.measure(MAP, lambda: mouse.click(x, y)).seconds

    def draw_around() -> float:
        """Around the left half of the points in sight, or the right one."""
        box, half = _box(plot.locator(".nsewdrag")), next(halves)
        left, right = (box["x"] + (half + part) * box["width"] / 2 for part in (0.02, 0.98))
        top, bottom = max(box["y"], 0) + 10, box["y"] + 0.98 * box["height"]  # of what is not scrolled out of sight

        mouse.move(left, top)
        mouse.down()
        for x, y in ((right, top), (right, bottom), (left, bottom)):
            mouse.move(x, y)
        return tab.measure(TABLE, mouse.up, key="mouseup").seconds

    times = alternate({"ours": choose_layer, "bare": click}, context.rounds)
    yield compare(times, "ours", "bare", part=PART, what=f"a layer of {count}")
    plot.locator('.modebar-btn[data-title="Lasso Select"]').click()
    draw_around()
    tab.page.locator("[data-testid=stDataFrame]").last.scroll_into_view_if_needed()
    times = alternate({"ours": draw_around, "bare": click}, context.rounds)
    yield compare(times, "ours", "bare", part=PART, what=f"a lasso around {count}, to their list")


def _work_out(context: Context, tab: Tab, job: str) -> None:
    """Open a large table in the view that is open, and wait until its job has ended."""
    tab.page.get_by_role("button", name="Open a table").click()
    tab.page.locator("input[type=file]").set_input_files(_write_table(context.folder / "many.csv", MANY))
    start, stop = (tab.page.locator(f".st-key-{job}_{name} button") for name in ("begin", "stop"))
    confirm = tab.page.get_by_role("button", name="Run over these rows")
    confirm.wait_for()
    tab.page.keyboard.press("Escape")  # closes the menu
    confirm.click()
    start.click()
    stop.wait_for()
    stop.wait_for(state="detached", timeout=LONGEST)
    tab.idle()


def _box(element: Locator) -> FloatRect:
    box = element.bounding_box()
    if box is None:
        raise RuntimeError("The page shows no map.")
    return box


def wait_for_rows(tab: Tab) -> None:
    """Wait until all rows are read and their table is painted."""
    tab.page.locator("[class*=st-key-texts_table]").first.wait_for()
    tab.has(TABLE)
    tab.idle()


def _choose_first_row(page: Page) -> None:
    box = page.locator("[class*=st-key-texts_table] canvas").first.bounding_box()
    if box is None:
        raise RuntimeError("The page shows no table.")
    page.mouse.click(box["x"] + 15, box["y"] + 50)  # the box before the first row
    page.get_by_role("button", name="Heat map", exact=True).wait_for()


def _write_table(path: Path, count: int) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("text", "label"))
        writer.writerows((text, ("negative", "positive")[row % 2]) for row, text in enumerate(random_texts(count)))
    return path
