"""The atlas of 100,000 sentences looked up: from the request to the painted answer, beyond a bare page's click."""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from bench import bare
from bench.context import BUNDLED, Context
from bench.measure import Row, alternate
from bench.page import Tab
from encoder.atlas.build.search_tables import renumbered
from encoder.atlas.plan import model_checksum
from encoder.atlas.reader import CARDS, SHIPPED
from encoder.atlas.tables import read_table, write_parts
from encoder.catalogue import load

PART = "Looking up the atlas of 100,000 sentences (request to painted), beyond the click of a bare page"
TARGET = "≤ 100"
COPIES = 50  # of the sentences that ship, which are 1,996
TEXT = "time flies like an arrow"
SEARCHES = ("obj→", "time", "→nsubj", "the", "NOUN", "dog", "case→", "VERB")


def rows(context: Context) -> Iterator[Row]:
    """The bundled model as a folder, so that the atlas is one of its own."""
    name = str(context.models[BUNDLED])
    write_atlas(context.folder / "atlases", model_checksum(load(name)))
    variables = {"HEADLIGHT_ATLAS": str(context.folder / "atlases")}
    with (
        context.app(variables) as server,
        context.page("bare_click", bare.SCRIPT) as bare_server,
        context.tab(server) as tab,
        context.tab(bare_server) as other,
    ):
        tab.open(a=TEXT, b="", model=name, layer="2", head="0")
        bare.open_bare(other)
        variants = {
            "a head’s intervals, relations and examples": _details(tab),
            "which head does this": _ranking(tab),
            "sentences found": _search(tab),
        }
        for what, variant in variants.items():
            times = alternate(
                {"look-up": variant, "bare": bare.timed_click(other)},
                context.rounds,
            )
            looked_up, click = (1e3 * median(times[each]) for each in ("look-up", "bare"))
            yield Row(
                part=PART,
                what=what,
                ours=looked_up - click,
                n=len(times["bare"]),
                target=TARGET,
                judged_by="ours",
                note=f"{looked_up:.0f} ms, a bare click {click:.0f} ms",
            )


def write_atlas(folder: Path, weights: str) -> None:
    """The atlas that ships, with all of its sentences so many times over, as that of other weights."""
    shipped, out = SHIPPED / "bundled", folder / "large"
    shutil.copytree(shipped, out)
    about = json.loads((shipped / CARDS).read_text(encoding="utf-8"))
    (out / CARDS).write_text(json.dumps(about | {"weights": weights}), encoding="utf-8")
    sentences, looks = (read_table(shipped / f"{name}.parquet") for name in ("sentences", "looks"))
    write_parts(out / "sentences.parquet", itertools.repeat(sentences, COPIES), sentences.schema, {})
    counts = itertools.repeat(len(sentences), COPIES)
    write_parts(out / "looks.parquet", renumbered(itertools.repeat(looks, COPIES), counts), looks.schema, {})


def _details(tab: Tab) -> Callable[[], float]:
    """The details of another head each time."""
    keys = itertools.cycle(("ArrowRight", "ArrowLeft"))
    more = tab.page.get_by_role("button", name="Intervals, relations, examples")

    def sample() -> float:
        tab.page.locator(".map canvas").first.press(next(keys))  # the focus is at the button that opened the details
        tab.idle()
        seconds = tab.measure("card details", more.click).seconds
        tab.page.keyboard.press("Escape")
        return seconds

    return sample


def _ranking(tab: Tab) -> Callable[[], float]:
    """Another cell of the heat map each time."""
    cells = tab.page.locator(".view:has(.stage) canvas.over")
    places = itertools.cycle((120, 240, 360))

    def sample() -> float:
        place = {"x": float(next(places)), "y": 200.0}
        seconds = tab.measure("ranked heads", lambda: cells.click(position=place)).seconds  # type: ignore[arg-type]
        tab.idle()
        return seconds

    return sample


def _search(tab: Tab) -> Callable[[], float]:
    """Another search each time, sent by Enter, so that no pause of the keys is waited for."""
    searches = itertools.cycle(SEARCHES)

    def sample() -> float:
        field = tab.page.get_by_label("Word that looks", exact=True)
        if not field.is_visible():
            tab.page.get_by_role("button", name="Find sentences").click()
            tab.page.get_by_role("listitem").first.wait_for()
        field.evaluate("(field, text) => { field.value = text; }", next(searches))
        return tab.measure("found sentences", lambda: field.press("Enter")).seconds

    return sample
