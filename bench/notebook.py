"""Our views in a notebook's page against BertViz's: from the call of the function to the painted picture, and bytes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import median

import torch
from playwright.sync_api import Page

import viz
from bench.bertviz import draw
from bench.context import BERT_SHAPE, Context
from bench.measure import Row
from bench.page import LIMIT, SIZE, Sample
from encoder import Trace
from encoder.models.loading import load_folder
from viz.notebooks.page import NotebookPage

PART = "In a notebook, all layers and heads: the function's call to the painted picture, and bytes of the cell"
FASTER, FEWER_BYTES = "≥ 10", "≥ 30"
TOKENS = 64
LARGE = 512  # ours alone; BertViz's file of it has over a gigabyte
MOST_ROUNDS = 3  # BertViz's takes most of a minute
VIEWS: dict[str, Callable[..., NotebookPage]] = {"head view": viz.head_view, "model view": viz.model_view}
# What a notebook does with the HTML of a cell: scripts in it run.
INSERT = """html => document.body.replaceChildren(document.createRange().createContextualFragment(html))"""
OURS_PAINTED = ".picture [data-painted]"
THEIRS_PAINTED = {"head view": "#vis svg line", "model view": "#vis svg .attn_line, #vis svg line"}
AFTER_TWO_FRAMES = "new Promise(then => requestAnimationFrame(() => requestAnimationFrame(then)))"


def rows(context: Context) -> Iterator[Row]:
    """BERT-base's shape with random weights; attention is there before, as it is in a notebook."""
    model = load_folder(BERT_SHAPE, context.models[BERT_SHAPE])
    for view in VIEWS:
        yield from _against_bertviz(context, model.trace(context.texts.new(TOKENS)), view)
    yield from _alone(context, model.trace(context.texts.new(LARGE)))


def _against_bertviz(context: Context, trace: Trace, view: str) -> Iterator[Row]:
    attention = _tensors(trace)
    labels = list(trace.tokens.pieces)

    def ours() -> str:
        return VIEWS[view](attention, labels).data

    def theirs() -> str:
        return draw(view, attention, labels)

    mine, other = [], []
    page = context.browser.new_context(viewport=SIZE).new_page()  # type: ignore[arg-type]
    for _ in range(min(context.rounds, MOST_ROUNDS) + 1):
        mine.append(_sample(page, ours, page.frame_locator("iframe").locator(OURS_PAINTED).first.wait_for))
        other.append(_sample(page, theirs, lambda: page.locator(THEIRS_PAINTED[view]).first.wait_for(state="attached")))
    page.context.close()
    yield from _rows(view, len(trace.tokens), mine[1:], other[1:])


def _alone(context: Context, trace: Trace) -> Iterator[Row]:
    """Our head view of a long text: one layer, and all of them."""
    attention, labels = _tensors(trace), list(trace.tokens.pieces)
    page = context.browser.new_context(viewport=SIZE).new_page()  # type: ignore[arg-type]
    for what, layers in (("one layer", [0]), ("all layers", None)):

        def make(layers: list[int] | None = layers) -> str:
            return viz.head_view(attention, labels, include_layers=layers).data

        sample = _sample(page, make, page.frame_locator("iframe").locator(OURS_PAINTED).first.wait_for)
        for unit, value in (("ms", 1e3 * sample.seconds), ("kB", sample.bytes / 1e3)):
            yield Row(
                part=PART, what=f"head view, {what}", ours=value, tokens=len(trace.tokens), unit=unit, judged_by="ours"
            )
    page.context.close()


def _tensors(trace: Trace) -> list[torch.Tensor]:
    """What a model of `transformers` hands out: (1, H, T, T) for each layer."""
    return [torch.tensor(trace.weights(layer))[None] for layer in range(trace.num_layers)]


def _sample(page: Page, make: Callable[[], str], wait: Callable[[], None]) -> Sample:
    page.set_default_timeout(1e3 * LIMIT)
    page.goto("about:blank")
    start = time.perf_counter()
    html = make()
    page.evaluate(INSERT, html)
    wait()
    page.evaluate(AFTER_TWO_FRAMES)
    return Sample(time.perf_counter() - start, len(html.encode()))


def _rows(view: str, tokens: int, mine: list[Sample], other: list[Sample]) -> Iterator[Row]:
    yield Row(
        part=PART,
        what=f"{view}, time",
        ours=1e3 * median(sample.seconds for sample in mine),
        other=1e3 * median(sample.seconds for sample in other),
        tokens=tokens,
        n=len(mine),
        target=FASTER,
        judged_by="inverse",
    )
    yield Row(
        part=PART,
        what=f"{view}, bytes of the cell",
        ours=mine[0].bytes / 1e3,
        other=other[0].bytes / 1e3,
        tokens=tokens,
        unit="kB",
        target=FEWER_BYTES,
        judged_by="inverse",
    )
