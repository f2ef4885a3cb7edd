"""Tables of texts in Chromium: opening a file, sorting, filtering, opening a row, and a query, over bare pages."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from statistics import median

from playwright.sync_api import Page

from bench import bare
from bench.context import Context
from bench.measure import Row, alternate, compare
from bench.page import Tab
from bench.texts import random_texts

PART = "Tables of texts in Chromium, event to painted, over a bare Streamlit page"
ROWS, MANY = 1_000, 10_000
LONGEST = 600_000  # milliseconds that the vectors may take
UPLOAD, CLICK, LATER = "≤ 2", "≤ 1.5", "≤ 150"
TABLE, PICTURE = "table", "heat map"
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
    filters, orders = cycle(("Unsure", "All rows")), cycle(("Least sure first", "As in the table", "Errors first"))

    def choose_filter() -> float:
        tab.idle()
        button = tab.page.get_by_role("radio", name=next(filters), exact=True)
        return tab.measure(TABLE, button.click).seconds

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
    tab.page.get_by_role("button", name="Open a table").click()
    tab.page.locator("input[type=file]").set_input_files(_write_table(context.folder / "many.csv", MANY))
    start, stop = (tab.page.locator(f".st-key-search_vectors_{name} button") for name in ("begin", "stop"))
    start.wait_for()
    tab.page.keyboard.press("Escape")  # closes the menu
    start.click()
    stop.wait_for()
    stop.wait_for(state="detached", timeout=LONGEST)
    tab.idle()
    queries, field = iter(random_texts(100, seed=1)), tab.page.get_by_role("textbox", name="Search for")

    def search() -> float:
        field.fill(next(queries))
        return tab.measure(TABLE, lambda: field.press("Enter")).seconds

    times = alternate({"ours": search, "bare": click}, context.rounds)
    row = compare(times, "ours", "bare", part=PART, what=f"a query over {MANY:,} texts, beyond the click")
    later = 1e3 * median(ours - least for ours, least in zip(times["ours"], times["bare"], strict=True))
    return replace(row, ours=later, target=LATER, judged_by="ours")


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
