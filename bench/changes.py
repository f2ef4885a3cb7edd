"""Another layer or another head, click to painted picture, at 512 tokens against 16."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

from bench.context import Context
from bench.measure import Row, alternate, compare
from bench.page import Tab

PART = "Another layer or head, click to painted picture: 512 tokens against 16"
LONG, SHORT = 512, 16
TARGET = "< 2"
VIEWS = ("heat map", "head view")
LAYERS, HEADS = 6, 12  # of the smaller model


def rows(context: Context) -> Iterator[Row]:
    """A layer is one that the browser does not have yet, of a text that is run; a head is of the layer on the page."""
    with context.app() as server:
        for model in context.models:
            for view in VIEWS:
                with context.tab(server) as long, context.tab(server) as short:
                    for tab, size in ((long, LONG), (short, SHORT)):
                        tab.open(a=context.texts.new(size), model=context.link(model), view=view)
                    if not (long.has(view) and short.has(view)):
                        yield Row(part=PART, what=f"{view}, {model}", ours=None, target=TARGET, note="does not paint")
                        continue
                    changes = {"layer": _another_layer, "head": _another_head}
                    for what, change in changes.items():
                        variants = {
                            name: change(context, tab, view, size)
                            for name, tab, size in (("long", long, LONG), ("short", short, SHORT))
                        }
                        yield compare(
                            alternate(variants, context.rounds),
                            "long",
                            "short",
                            part=PART,
                            what=f"another {what}, {view}, {model}",
                            tokens=LONG,
                            target=TARGET,
                        )


def _another_layer(context: Context, tab: Tab, view: str, size: int) -> Callable[[], float]:
    numbers = count(1)

    def sample() -> float:
        layer = next(numbers) % LAYERS
        if layer == 0:  # all layers were shown: a text that is new to the browser
            tab.measure(view, tab.type(context.texts.new(size)))
            layer = next(numbers) % LAYERS
        return tab.measure(view, tab.choose("Layer", str(layer))).seconds

    return sample


def _another_head(context: Context, tab: Tab, view: str, size: int) -> Callable[[], float]:
    numbers = count(5)

    def sample() -> float:
        return tab.measure(view, tab.choose("Head", str(next(numbers) % HEADS))).seconds

    return sample
