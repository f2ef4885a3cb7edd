"""Our head view and model view against BertViz's: click to painted, and bytes sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median

import numpy as np
from playwright.sync_api import Error

from bench.bertviz import PAGE
from bench.context import BERT_SHAPE, Context
from bench.measure import Row
from bench.page import LIMIT, PageError, Sample, Tab
from bench.texts import SIZES
from encoder.models.loading import load_folder

PART = "Our views against BertViz’s, click to painted picture and bytes sent"
FASTER, FEWER_BYTES = "≥ 10", "≥ 50"
TARGET_TOKENS = 64
ALONE_TOKENS = 128  # BertViz with one layer only is measured up to so many, where it draws all of them no more
SLOW = 20.0  # seconds; BertViz is drawn three times only where it takes longer
FEW = 3
VIEWS = ("head view", "model view")

Draw = Callable[[], Sample]


def rows(context: Context) -> Iterator[Row]:
    """A text that both have run already, on BERT-base's shape; BertViz as far as it gets, and with one layer only."""
    backend = load_folder(BERT_SHAPE, context.models[BERT_SHAPE])
    given_up: dict[tuple[str, str], str] = {}  # where BertViz gave up, and why
    with context.app() as server, context.page("bertviz_page", PAGE) as theirs:
        for size in SIZES:
            trace = backend.trace(context.texts.new(size))
            file = context.folder / f"attention-{size}.npy"
            np.save(file, np.stack([trace.weights(layer) for layer in range(trace.num_layers)]))
            for view in VIEWS:
                with context.tab(server) as tab:
                    tab.open(a=context.texts.new(size), model=context.link(BERT_SHAPE), view="predictions", heads="all")
                    ours = ours_drawer(context, tab, view, size)
                    alone = view == "head view" and size <= ALONE_TOKENS
                    for layers in ("all", "one") if alone else ("all",):
                        if (view, layers) in given_up:
                            yield from _rows(
                                view, layers, size, _samples_of_ours(ours, context.rounds), [], given_up[view, layers]
                            )
                            continue
                        with context.tab(theirs) as other:
                            other.goto(file=str(file), layers=layers, view=view)
                            other.idle()
                            mine, their, why = _in_turn(ours, bertviz_drawer(other), context.rounds)
                        if why:
                            given_up[view, layers] = f"does not: {why} at {size} tokens already"
                        yield from _rows(view, layers, size, mine, their, f"does not: {why}" if why else "")
            file.unlink()


def ours_drawer(context: Context, tab: Tab, view: str, size: int) -> Draw:
    """Open the view on a text that was run but not drawn before."""

    def draw() -> Sample:
        tab.view("Norms")
        tab.measure("strip", tab.type(context.texts.new(size)))
        return tab.measure(view, tab.choose_view(view.capitalize()))

    return draw


def bertviz_drawer(tab: Tab) -> Draw:
    """Clear the page, then draw."""

    def draw() -> Sample:
        tab.page.get_by_role("button", name="Clear", exact=True).click()
        tab.page.wait_for_selector("[data-testid=stIFrame]", state="detached")
        tab.idle()
        return tab.measure("bertviz", tab.page.get_by_role("button", name="Draw", exact=True).click)

    return draw


def _samples_of_ours(draw: Draw, rounds: int) -> list[Sample]:
    return [draw() for _ in range(rounds + 1)][1:]


def _in_turn(ours: Draw, theirs: Draw, rounds: int) -> tuple[list[Sample], list[Sample], str]:
    """Samples of both, in turn after a round that is not counted, and why the other one gave up, if it did."""
    mine: list[Sample] = []
    their: list[Sample] = []
    while len(mine) < rounds + 1:
        mine.append(ours())
        try:
            their.append(theirs())
        except (Error, PageError) as error:
            return mine[1:] or _samples_of_ours(ours, rounds), [], reason(str(error))
        if their[-1].seconds > SLOW:
            rounds = min(rounds, FEW)
    return mine[1:], their[1:], ""


def reason(error: str) -> str:
    """Why a picture was given up, in a few words, from what Playwright or the page says."""
    if "MessageSizeError" in error or "message size limit" in error:
        return "more than Streamlit’s 200 MB a message"
    return f"not painted within {LIMIT:.0f} s" if "Timeout" in error else "the page crashed"


def _rows(view: str, layers: str, size: int, ours: list[Sample], theirs: list[Sample], note: str) -> Iterator[Row]:
    what = f"{view}{' with one layer only' if layers == 'one' else ''}"
    held = size == TARGET_TOKENS and layers == "all"
    if view == "model view" and not note:
        note = "the app has its map of all heads, from the same figures, on the page before the click"
    figures = (
        (f"{what}, time", "ms", 1e3, FASTER, lambda sample: sample.seconds),
        (f"{what}, bytes", "kB", 1e-3, FEWER_BYTES, lambda sample: sample.bytes),
    )
    for name, unit, scale, target, figure in figures:
        yield Row(
            part=PART,
            what=name,
            ours=scale * median(map(figure, ours)),
            other=scale * median(map(figure, theirs)) if theirs else None,
            tokens=size,
            unit=unit,
            n=len(theirs) or len(ours),
            target=target if held else "",
            judged_by="inverse",
            note=note,
        )
