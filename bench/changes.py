"""Another layer or another head, from the key to the painted picture, against a click on a bare Streamlit page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle
from statistics import median
from time import monotonic, sleep

from bench import bare
from bench.context import BERT_SHAPE, Context
from bench.measure import Row
from bench.page import Tab

PART = "Another layer or head, key to painted picture, over a click on a bare Streamlit page"
SIZES = (128, 512)
VIEWS = {"heat map": "cell_map_pair", "head view": "head_view_pair"}
CHANGES = 100  # of which a median and the longest are told
HELD, RATE = 10.0, 30  # seconds that a key is held, and how often a second it repeats
MEDIAN, WORST = "≤ 34", "≤ 50"  # milliseconds, up to 128 tokens
LONG_HEAD, LONG_LAYER = "≤ 50", "≤ 150"


def rows(context: Context) -> Iterator[Row]:
    """Keys on the map of all heads. The head's layer is there, as are all layers of a short text, and the neighbours of
    the current one of a long text; one that is farther away is sent when it is asked for."""
    with context.app() as server, context.page("bare_page", bare.SCRIPT) as page, context.tab(page) as other:
        bare.open_bare(other)
        click = 1e3 * median(_click(other) for _ in range(context.rounds + 1))
        for model in context.models:
            for size in SIZES:
                for view in VIEWS:
                    with context.tab(server) as tab:
                        tab.open(a=context.texts.new(size), model=context.link(model), view=view, layer="0", head="0")
                        if not tab.has(view):
                            what = f"{view}, {model}"
                            yield Row(part=PART, what=what, ours=None, tokens=size, note="does not paint")
                            continue
                        yield from _rows(tab, view, model, size, click, context.rounds)


def _click(tab: Tab) -> float:
    tab.idle()
    return tab.measure_change(bare.KIND, lambda: bare.click(tab))


def _rows(tab: Tab, view: str, model: str, size: int, click: float, rounds: int) -> Iterator[Row]:
    def row(what: str, seconds: list[float], target: str, *, worst: str = "") -> Iterator[Row]:
        name, is_held = f"{what}, {view}, {model}", model == BERT_SHAPE
        typical = Row(
            part=PART,
            what=name,
            ours=1e3 * median(seconds),
            other=click,
            tokens=size,
            n=len(seconds),
            target=target if is_held else "",
            judged_by="ours",
        )
        yield typical
        if worst:
            longest = 1e3 * max(seconds)
            target = worst if is_held else ""
            yield replace(typical, what=f"{name}, longest", ours=longest, other=None, target=target)

    is_short = size == SIZES[0]
    heads = [_press(tab, view, key) for key in walk("ArrowRight", "ArrowLeft", 11, CHANGES)]
    yield from row("another head", heads, MEDIAN if is_short else LONG_HEAD, worst=WORST if is_short else "")
    count = CHANGES if is_short else rounds
    layers = [_press(tab, view, key, settle=not is_short) for key in walk("ArrowDown", "ArrowUp", 5, count)]
    yield from row("another layer", layers, MEDIAN if is_short else LONG_LAYER, worst=WORST if is_short else "")
    if is_short:
        frames = _hold(tab, view)
        name = f"arrow key held for {HELD:.0f} s, longest frame, {view}, {model}"
        yield Row(part=PART, what=name, ours=max(frames), tokens=size, n=len(frames), target=WORST, judged_by="ours")


def walk(on: str, back: str, steps: int, count: int) -> list[str]:
    """Keys that go on and back again, and never beyond an end."""
    keys = cycle([on] * steps + [back] * steps)
    return [next(keys) for _ in range(count)]


def _press(tab: Tab, view: str, key: str, *, settle: bool = False) -> float:
    if settle:  # until the neighbours of the layer are there
        sleep(0.5)
        tab.idle()
    return tab.measure_change(VIEWS[view], lambda: tab.press_on_map(key))


def _hold(tab: Tab, view: str) -> list[float]:
    """Milliseconds of every frame while a held key walks through all heads."""
    tab.idle()
    tab.page.evaluate("key => bench.watchFrames(key)", VIEWS[view])
    begun = monotonic()
    for number, key in enumerate(walk("ArrowRight", "ArrowLeft", 11, round(HELD * RATE))):
        sleep(max(0.0, begun + number / RATE - monotonic()))
        tab.press_on_map(key)
    lengths: list[float] = tab.page.evaluate("bench.stopFrames()")["lengths"]
    return lengths
