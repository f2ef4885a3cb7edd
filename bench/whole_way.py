"""From a new text to the painted picture, over the model's forward pass alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from transformers import BertModel

from bench.context import BERT_SHAPE, Context
from bench.forward import inputs
from bench.measure import Row, alternate, compare, timed
from bench.models import load_bert
from bench.page import Tab
from bench.server import Server
from bench.texts import SIZES, Texts

PART = "New text to painted picture, over the forward pass alone (SDPA, no attentions)"
TARGET, MAP_TARGET = "≤ 1.4", "≤ 1.8"  # at 512 tokens of BERT-base’s shape
LAYER = 3  # that is shown; its picture does not wait for the layers behind it
VIEWS = ("heat map", "head view")


def rows(context: Context) -> Iterator[Row]:
    """In the app: a text is put into the field, then Ctrl+Enter is pressed; from the first of these to painted.

    Alone: one `BertModel` call on a text of the same length.
    """
    with context.app() as server:
        for model, folder in context.models.items():
            alone = load_bert(folder, "sdpa")
            for size in SIZES:
                forward = _forward(alone, context.texts, size)
                for view in VIEWS:
                    yield from _rows(context, server, model, forward, view, size)
            last, target = alone.config.num_hidden_layers - 1, TARGET if model == BERT_SHAPE else ""
            with _opened(context, server, model, "heat map", size, layer=last) as tab:
                what = f"heat map of the last layer, {model}"
                yield _row(context, tab, forward, "heat map", size, what=what, target=target)


def _forward(alone: BertModel, texts: Texts, size: int) -> Callable[[], object]:
    given = inputs(texts.tokenizer(texts.new(size)))

    @torch.inference_mode()
    def forward() -> object:
        return alone(**given)

    return forward


def _rows(
    context: Context, server: Server, model: str, forward: Callable[[], object], view: str, size: int
) -> Iterator[Row]:
    """To the view, and to the map of all heads beside it, which is drawn after it."""
    with _opened(context, server, model, view, size, layer=LAYER) as tab:
        for picture, beside, goal in ((view, "", TARGET), ("map", " and the map of all heads", MAP_TARGET)):
            target = goal if model == BERT_SHAPE and size == SIZES[-1] else ""
            what = f"{view}{beside}, {model}"
            if not tab.has(picture):
                yield Row(part=PART, what=what, ours=None, tokens=size, target=target, note="does not paint")
                continue
            yield _row(context, tab, forward, picture, size, what=what, target=target)


@contextmanager
def _opened(context: Context, server: Server, model: str, view: str, size: int, *, layer: int) -> Iterator[Tab]:
    with context.tab(server) as tab:
        tab.open(a=context.texts.new(size), model=context.link(model), view=view, layer=str(layer), head="7")
        yield tab


def _row(
    context: Context, tab: Tab, forward: Callable[[], object], picture: str, size: int, *, what: str, target: str
) -> Row:
    variants = {"app": _new_text(context, tab, picture, size), "alone": timed(forward)}
    times = alternate(variants, context.rounds)
    return compare(times, "app", "alone", part=PART, what=what, tokens=size, target=target)


def _new_text(context: Context, tab: Tab, picture: str, size: int) -> Callable[[], float]:
    def sample() -> float:
        text = context.texts.new(size)
        seconds = tab.measure(picture, tab.type(text), key="input").seconds
        tab.settle(text)  # else the forward pass alone would be measured beside the rest of the page
        return seconds

    return sample
