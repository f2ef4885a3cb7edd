"""Frame times while the mouse moves over the head view at 512 tokens and 12 heads."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from bench.context import Context
from bench.measure import Row
from bench.page import SIZE, Tab

PART = "Hovering in the head view, 12 heads at once: length of a frame"
TOKENS = 512
MEDIAN, WORST = "< 17", "< 50"  # milliseconds
VIEW, KEY = "head view", "head_view_pair"
STEP = 5  # pixels between two places of the mouse
SIDES = {"queries": 0.1, "keys": 0.9}  # where the tokens stand, as shares of the view's width


def rows(context: Context) -> Iterator[Row]:
    """Down both columns of tokens, and on and off `[CLS]`, to which lines of many tokens run."""
    with context.app() as server:
        for model in context.models:
            with context.tab(server) as tab:
                tab.open(
                    a=context.texts.new(TOKENS), model=context.link(model), view=VIEW, layer="3", head="7", heads="all"
                )
                if not tab.has(VIEW):
                    yield Row(part=PART, what=model, ours=None, tokens=TOKENS, target=MEDIAN, judged_by="ours")
                    continue
                yield from _rows(tab, model, context.rounds)


def _rows(tab: Tab, model: str, rounds: int) -> Iterator[Row]:
    sweeps = [_sweep(tab) for _ in range(rounds)]
    lengths = [length for sweep in sweeps for length in sweep]
    yield Row(
        part=PART,
        what=f"median frame, {model}",
        ours=median(lengths),
        tokens=TOKENS,
        n=len(sweeps),
        target=MEDIAN,
        judged_by="ours",
        note=f"{len(lengths)} frames",
    )
    yield Row(
        part=PART,
        what=f"longest frame of a sweep, {model}",
        ours=median(map(max, sweeps)),
        tokens=TOKENS,
        n=len(sweeps),
        judged_by="ours",
    )
    column = [max(_to_cls(tab)) for _ in range(rounds)]
    yield Row(
        part=PART,
        what=f"longest frame on coming to the [CLS] column, {model}",
        ours=median(column),
        tokens=TOKENS,
        n=len(column),
        target=WORST,
        judged_by="ours",
    )


def _sweep(tab: Tab) -> list[float]:
    """Milliseconds of every frame while the mouse goes down both columns."""
    box = tab.page.evaluate("key => bench.box(key)", KEY)
    bottom = min(box["y"] + box["height"], SIZE["height"])
    lengths: list[float] = []
    for share in SIDES.values():
        tab.page.mouse.move(box["x"] + share * box["width"], box["y"])
        tab.page.evaluate("key => bench.watchFrames(key)", KEY)
        for y in range(round(box["y"]), round(bottom), STEP):
            tab.page.mouse.move(box["x"] + share * box["width"], y)
        seen = tab.page.evaluate("bench.stopFrames()")
        if seen["hovered"] < 5:
            raise RuntimeError(f"The mouse met {seen['hovered']} tokens in a column: has the view another layout now?")
        lengths += seen["lengths"]
    return lengths


def _to_cls(tab: Tab) -> list[float]:
    """Milliseconds of the frames in which the mouse comes to the key `[CLS]` from beside the view."""
    box = tab.page.evaluate("key => bench.box(key)", KEY)
    x = box["x"] + SIDES["keys"] * box["width"]
    for y in range(round(box["y"]), round(box["y"] + box["height"]), STEP):
        tab.page.mouse.move(x, y)
        if tab.hovered(KEY).endswith(",0"):
            break
    else:
        raise RuntimeError("The mouse did not meet [CLS]: has the view another layout now?")
    tab.page.mouse.move(box["x"] - STEP, y)
    tab.hovered(KEY)
    tab.page.evaluate("key => bench.watchFrames(key)", KEY)
    tab.page.mouse.move(x, y)
    tab.hovered(KEY)
    lengths: list[float] = tab.page.evaluate("bench.stopFrames()")["lengths"]
    return lengths
